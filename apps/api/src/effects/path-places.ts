/** What the words of a path tell about the place that it names. */
import { pathSegments } from '../request-reading/path-template.js';
import { thingsIn } from './names.js';
import type { PathWords } from './path-words.js';

const PROTOCOLS = new Set(
  'graphql gql rpc jsonrpc json-rpc mcp batch batches bulk web3 call kw dataset composite xmlrpc'.split(' '),
);
/** Whether a path is that of a protocol, which says in the body what a request does: `/graphql`, `/$batch`. */
export const endsAtProtocol = ({ literals }: PathWords): boolean => {
  const last = literals.at(-1);
  return last !== undefined && last !== null && last.length > 0 && last.flat().every((word) => PROTOCOLS.has(word));
};

/**
 * Whether a segment before the last one is a script or the endpoint of a protocol. Servers give it what follows, which then
 * says nothing: `/xmlrpc.php/list`, `/graphql/search`.
 */
export const goesThroughDoor = (path: string): boolean =>
  pathSegments(path)
    .slice(0, -1)
    .some((segment) => SCRIPT.test(segment) || PROTOCOLS.has(segment.toLowerCase()));
const SCRIPT = /\.(?:php\d?|phtml|aspx?|ashx|asmx|jspx?|do|action|cgi|fcgi|pl|py|rb|cfm)$/i;

/** Whether a path has no words at all, as that of many JSON-RPC services: the base URL itself, or a key. */
export const isWordless = ({ literals, isDocumented }: PathWords): boolean =>
  !isDocumented && literals.every((parts) => parts === null || parts.length === 0);

const SQL_PLACES = new Set('sql query queries statement statements'.split(' '));
export const endsWithSql = ({ literals }: PathWords): boolean =>
  (literals.findLast((parts) => parts !== null && parts.length > 0) ?? []).flat().some((word) => SQL_PLACES.has(word));

/** Whether nothing tells what a POST to a path would do: its last word is neither a known thing nor a plural. */
export function isUnknownPlace({ literals }: PathWords): boolean {
  const words = literals
    .filter((parts) => parts !== null && parts.length > 0)
    .slice(-2)
    .flat(2) as string[];
  return (
    thingsIn(words).length === 0 && !words.some((word) => word.length > 3 && word.endsWith('s') && !word.endsWith('ss'))
  );
}
