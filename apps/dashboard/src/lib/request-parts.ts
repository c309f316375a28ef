import type { ActionPart } from '#contracts';
import { bodyShape } from './body-shape.js';
import { membersOf } from './json-layout.js';
import type { JsonNode } from './json-tree.js';
import { readPairs, readTarget } from './request-target.js';

/** A value of a request, which is a row on the screen. */
export interface RequestPart {
  /** `q` for the query or `b` for the body, and its place: `b.0.3`. A row has it as `data-part`. */
  id: string;
  /** A JSON pointer into `{query, body}`. */
  pointer: string;
  /** Where it is in the text of the body. */
  span?: [number, number];
}

export interface RequestParts {
  parts: readonly RequestPart[];
  /** How many others there are, and the pointer of the first. */
  more: number;
  firstOther: string | null;
}

interface Shown {
  targetUrl: string;
  body: string | null;
  bodyEncoding?: 'base64';
  bodyTruncated?: true;
  parts?: readonly ActionPart[];
}

/** Of a request with more values, only these are followed. The others count as not seen. */
const PARTS_MAX = 5000;

/** All values of a request that the page shows. A text is one value, and so are bytes. */
export function requestParts(
  { targetUrl, body, bodyEncoding, bodyTruncated, parts }: Shown,
  contentType: string,
): RequestParts {
  const found: RequestPart[] = pairParts('q', '/query', readTarget(targetUrl)?.query ?? []);
  if (body === null || body === '') return limited(found);
  // What is not loaded is never seen, so the text has no end.
  if (bodyTruncated) found.unshift({ id: 't', pointer: '/body', span: [0, Infinity] });
  if (parts) return limited([...found, ...pairParts('b', '/body', parts)]);
  if (bodyTruncated) return limited(found);
  const { text, json, view } = bodyShape(body, bodyEncoding, contentType);
  if (view === 'form') return limited([...found, ...pairParts('b', '/body', readPairs(text!))]);
  if (view === 'text') found.push({ id: 't', pointer: '/body', span: [0, text!.length] });
  if (view === 'hex') found.push({ id: 't', pointer: '/body' });
  if (view !== 'tree') return limited(found);
  const walk = { found, more: 0, firstOther: null };
  addLeaves(walk, json!, 'b', '/body');
  return { ...walk, parts: walk.found };
}

const limited = (found: readonly RequestPart[]): RequestParts => ({
  parts: found.slice(0, PARTS_MAX),
  more: Math.max(0, found.length - PARTS_MAX),
  firstOther: found[PARTS_MAX]?.pointer ?? null,
});

/** A name that stands more than once has a pointer for each place. */
function pairParts(id: string, pointer: string, pairs: readonly { name: string }[]): RequestPart[] {
  const counts = new Map<string, number>();
  for (const { name } of pairs) counts.set(name, (counts.get(name) ?? 0) + 1);
  const places = new Map<string, number>();
  return pairs.map(({ name }, index) => {
    const place = places.get(name) ?? 0;
    places.set(name, place + 1);
    const own = pointer + step(name);
    return { id: `${id}.${index}`, pointer: counts.get(name)! > 1 ? `${own}/${place}` : own };
  });
}

interface Walk {
  found: RequestPart[];
  more: number;
  firstOther: string | null;
}

function addLeaves(walk: Walk, node: JsonNode, id: string, pointer: string): void {
  const members = membersOf(node);
  if (members.length === 0) {
    if (walk.found.length < PARTS_MAX) {
      walk.found.push({ id, pointer, span: node.span });
    } else {
      walk.more += 1;
      walk.firstOther ??= pointer;
    }
    return;
  }
  for (const [index, member] of members.entries()) {
    const name = node.kind === 'object' ? node.entries[index]!.key : String(index);
    addLeaves(walk, member, `${id}.${index}`, pointer + step(name));
  }
}

const step = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
