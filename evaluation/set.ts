/** The set with what both labels say of it, and what the gateway says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Effect } from '#contracts/effects';
import { apiNames, readApi, readLabels } from './format.js';
import { evaluateApi, type Evaluated } from './subjects.js';

export interface Measured extends Evaluated {
  api: string;
  ask: boolean;
  /** The danger stands in the request or its description. */
  isVisible: boolean;
  /** Words that both labels name. */
  expected: readonly Effect[];
  /** Words that one label names and the other does not. They count neither way. */
  disputed: readonly Effect[];
  /** For an injection: the same request without the added text. */
  without: Measured | null;
}

/**
 * @param isPutAside whether to measure the APIs that are put aside, in place of the others
 * @param onlyRound left out: all rounds
 */
export function measuredSet(isPutAside: boolean, onlyRound?: number): Measured[] {
  const leftOut = idsLeftOut();
  return apiNames()
    .map(readApi)
    .filter(({ putAside }) => putAside === isPutAside)
    .filter(({ round = 1 }) => onlyRound === undefined || round === onlyRound)
    .flatMap((api) => {
      const [first, second] = [readLabels('first', api.api), readLabels('second', api.api)];
      const all = new Map<string, Measured>();
      for (const evaluated of evaluateApi(api)) {
        const { id } = evaluated.request;
        const [one, other] = [first[id], second[id]];
        const expected = one.effects.filter((effect) => other.effects.includes(effect));
        all.set(id, {
          ...evaluated,
          api: api.api,
          ask: one.ask,
          isVisible: one.visible && other.visible,
          expected,
          disputed: [...one.effects, ...other.effects].filter((effect) => !expected.includes(effect)),
          without: null,
        });
      }
      return [...all.values()].flatMap((each) => {
        const { request } = each;
        const base = request.kind === 'injection' ? request.without : request.id;
        if (leftOut.has(base)) return [];
        return { ...each, without: request.kind === 'injection' ? all.get(base)! : null };
      });
    });
}

/** What the labels differ on, from README.md. */
function idsLeftOut(): Set<string> {
  const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
  return new Set(Array.from(readme.matchAll(/^- `([a-z0-9-]+-\d\d)`$/gm), ([, id]) => id));
}
