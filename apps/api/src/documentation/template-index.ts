import { foldCase } from '#egress';
import type { PathTemplate } from '../request-reading/path-template.js';

export interface IndexedTemplate extends PathTemplate {
  operationId: number;
}

/** A template for several segments is found by the segments before that. */
const ANY_LENGTH = '+';

/**
 * Finds the templates that a path may match, without looking at every template. It looks them up by method, number of
 * segments, and literal segments. This needs few look-ups, because few shapes of templates (the positions of their
 * literals) are in use.
 */
export class TemplateIndex {
  /** The positions of the literals, by method and length. */
  private readonly shapes = new Map<string, Map<string, number[]>>();
  private readonly templates = new Map<string, IndexedTemplate[]>();

  add(method: string, template: IndexedTemplate): void {
    const { segments, spanAt } = template;
    const group = `${method} ${spanAt === -1 ? segments.length : ANY_LENGTH}`;
    const fixed = spanAt === -1 ? segments : segments.slice(0, spanAt);
    const literals = [...fixed.keys()].filter((at) => !fixed[at].includes('{'));
    const shapes = this.shapes.get(group);
    if (shapes) shapes.set(literals.join(), literals);
    else this.shapes.set(group, new Map([[literals.join(), literals]]));
    const key = templateKey(group, literals, segments);
    const known = this.templates.get(key);
    if (known) known.push(template);
    else this.templates.set(key, [template]);
  }

  /** Includes all templates that match, also for servers that ignore the case of letters. */
  *candidates(method: string, path: readonly string[]): Generator<IndexedTemplate> {
    for (const group of [`${method} ${path.length}`, `${method} ${ANY_LENGTH}`]) {
      for (const literals of this.shapes.get(group)?.values() ?? []) {
        if ((literals.at(-1) ?? -1) < path.length) yield* this.templates.get(templateKey(group, literals, path)) ?? [];
      }
    }
  }
}

const templateKey = (group: string, literals: readonly number[], segments: readonly string[]): string =>
  `${group} ${literals.join()} ${foldCase(literals.map((at) => segments[at]).join('/'))}`;
