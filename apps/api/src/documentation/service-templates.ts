import { pathReadings } from '#egress';
import { fit, isBetter, LITERAL, parseTemplate, pathSegments } from '../request-reading/path-template.js';
import { TemplateIndex } from './template-index.js';

export interface TemplateRow {
  id: number;
  method: string;
  path: string;
  comparedPath: string | null;
  serverPath: string;
}

/** The path templates of one service. */
export class ServiceTemplates {
  size = 0;
  /** The templates as the document states them. */
  private readonly own = new TemplateIndex();
  /** The templates with the path of the document's server in front. */
  private readonly prefixed = new TemplateIndex();

  add(rows: readonly TemplateRow[]): void {
    this.size += rows.length;
    for (const { id: operationId, method, serverPath, ...row } of rows) {
      const template = { ...parseTemplate(row), operationId };
      this.own.add(method, template);
      if (serverPath === '') continue;
      const before = pathSegments(serverPath);
      const spanAt = template.spanAt === -1 ? -1 : template.spanAt + before.length;
      this.prefixed.add(method, { ...template, segments: [...before, ...template.segments], spanAt });
    }
  }

  /**
   * Returns the id of the operation whose template matches the target with the most literal segments. The paths of a
   * document can be relative to the base URL, to the document's own server, or to the host.
   */
  find(method: string, url: URL, baseUrl: string): number | null {
    const below = pathSegments(pathReadings(url, baseUrl)[0]);
    const whole = pathSegments(url.pathname);
    // The paths of some documents differ only behind `#`. Agents get such URLs from search_docs.
    const query = new URLSearchParams(`${url.search.slice(1)}&${url.hash.slice(1)}`);
    let best: { id: number; score: number[] } | null = null;
    for (const [path, templates] of [
      [below, this.own],
      [whole, this.prefixed],
      [below, this.prefixed],
      [whole, this.own],
    ] as const) {
      for (const template of templates.candidates(method, path)) {
        const found = fit(template, path, query);
        // A parameter must not match a part of the base path.
        if (found?.segments.slice(0, path.length - below.length).some((score) => score !== LITERAL)) continue;
        if (found && (!best || isBetter(found.score, best.score)))
          best = { id: template.operationId, score: found.score };
      }
    }
    return best?.id ?? null;
  }
}
