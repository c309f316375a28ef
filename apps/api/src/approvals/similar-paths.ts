import type { TemplatePath } from '../request-reading/path-template.js';
import { PATH_PATTERN_WILDCARDS_MAX } from '#contracts/limits';
import { pathReadings } from '#egress';
import { toPathSteps, type Step } from '../request-reading/path-steps.js';
import { singular } from '../request-reading/singular.js';

export interface SimilarPaths {
  /** Paths that differ only in the thing they act on, of the same owner: `/namespaces/prod/pods/*`. */
  pattern: string;
  /** The same for any owner: `/namespaces/*` + `/pods/*`. Null if that makes no difference. */
  wider: string | null;
}

/** Names of owners. A pattern keeps the owner, unless the approver chooses the wider one. */
export const OWNERS =
  /^(?:namespaces?|orgs?|organi[sz]ations?|owners?|accounts?|tenants?|workspaces?|companies|company|projects?|repos?|repositories|repository|environments?|regions?)$/i;

/**
 * The path patterns of similar requests. Null if no safe pattern exists: an ambiguous path, or one that contains the
 * pattern's own characters, would make a rule that allows more than its reader expects.
 */
export function similarPaths(target: URL, baseUrl: string, operation: TemplatePath | null): SimilarPaths | null {
  const readings = pathReadings(target, baseUrl);
  if (readings.length !== 1) return null;
  const steps = toPathSteps(target, baseUrl, operation);
  if (steps.some(({ text }) => /[*/]/.test(text))) return null;
  const thing = indexOfThing(steps);
  const pattern = toPattern(steps, (index) => index === thing);
  const wider = toPattern(steps, (index) => steps[index].isIdentifier);
  const isPossible =
    wider !== pattern && steps.filter((step) => step.isIdentifier).length <= PATH_PATTERN_WILDCARDS_MAX;
  return { pattern, wider: isPossible ? wider : null };
}

const toPattern = (steps: readonly Step[], varies: (index: number) => boolean): string =>
  `/${steps.map(({ text }, index) => (varies(index) ? '*' : text)).join('/')}`;

/** The segment of the thing that the request acts on. -1 if the last identifier is an owner's. */
function indexOfThing(steps: readonly Step[]): number {
  const last = steps.findLastIndex(({ isIdentifier }) => isIdentifier);
  // `/customers/42/refunds` adds to a customer, `/pulls/7/merge` acts on the pull itself.
  if (steps.slice(last + 1).some(({ text }) => singular(text) !== text)) return -1;
  const name = steps.slice(0, Math.max(last, 0)).findLast(({ isIdentifier }) => !isIdentifier);
  return name !== undefined && OWNERS.test(name.text) ? -1 : last;
}
