import { pathSegments } from './path-template.js';

const GRAPHQL_SEGMENT = /^(?:graphql|gql)(?:\.\w+)?$/i;
const GRAPHQL_TEXT = /(?:(?:query|mutation|subscription|fragment)\b[^{]*)?\{/y;
const BLANKS = /[\s,\ufeff]*/y;

export const isGraphqlSegment = (segment: string): boolean => GRAPHQL_SEGMENT.test(segment);

/** Whether the last segment of the path is one at which servers take GraphQL. */
export const isGraphqlEndpoint = (url: URL): boolean => isGraphqlSegment(pathSegments(url.pathname).at(-1) ?? '');

/**
 * Whether a text begins like a GraphQL document. Skips comments one by one: a regular expression for all of them would
 * use stack space for each.
 */
export function isGraphqlText(text: string): boolean {
  let at = 0;
  for (;;) {
    BLANKS.lastIndex = at;
    BLANKS.test(text);
    at = BLANKS.lastIndex;
    if (text[at] !== '#') break;
    at = text.indexOf('\n', at);
    if (at === -1) return false;
  }
  GRAPHQL_TEXT.lastIndex = at;
  return GRAPHQL_TEXT.test(text);
}
