/** What the words of a path tell about the place that it names. */
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
