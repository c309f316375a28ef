import { isParameter } from '../request-reading/path-template.js';
import type { IndexedTemplate } from './template-index.js';

interface Candidate {
  method: string;
  template: IndexedTemplate;
  server: readonly string[];
}

/** Names of parameters whose values have no slash: `id`, `user_id`, `runId`, `issue_number`. */
const ONE_SEGMENT =
  /(?:^|[_.-])(?:id|uuid|guid|number|no|index|page|year|month|day|date|count|version)$|(?:Id|ID|Uuid|UUID|Guid|Number|Date)$/i;
/** Deeper templates are not looked at, so that hostile documents cost little. */
const DEPTH_MAX = 30;

/**
 * Finds the templates whose last parameter may stand for several segments though the document does not say so:
 * `/{Bucket}/{Key}` of S3, `/compare/{basehead}` of GitHub. A parameter with documented paths below it does not: there a
 * longer path is rather another operation, which is missing from the document.
 */
export class SpanningTemplates {
  private readonly candidates: (Candidate & { shape: string })[] = [];
  /** The shapes of all paths that end in a parameter and have paths below them. */
  private readonly parents = new Set<string>();

  add(method: string, template: IndexedTemplate, server: readonly string[]): void {
    const { segments, spanAt } = template;
    if (segments.length > DEPTH_MAX) return;
    let shape = '';
    for (const [at, segment] of segments.entries()) {
      const isLast = at === segments.length - 1;
      shape += `/${isParameter(segment) ? '{}' : segment}`;
      if (!isParameter(segment)) continue;
      if (!isLast) this.parents.add(shape);
      else if (spanAt === -1 && !ONE_SEGMENT.test(segment.slice(1, -1))) {
        this.candidates.push({ method, server, shape, template: { ...template, spanAt: at } });
      }
    }
  }

  take(): Candidate[] {
    return this.candidates.splice(0).filter(({ shape }) => !this.parents.has(shape));
  }
}
