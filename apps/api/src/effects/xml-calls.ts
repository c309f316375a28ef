import type { RequestContent } from '../request-reading/request-content.js';
import { actInName, type Act } from './act.js';
import { wordsOf } from './names.js';

/** Longer ones are not read to the end. */
const TEXT_MAX = 200_000;
const CALLS_MAX = 500;
const IS_CALL = /<(?:[\w-]+:)?methodCall\b/;
/** The method of a call, and those in the structs of `system.multicall`. */
const NAME =
  /<methodName\s*>\s*([\w.:/-]{1,200})|<name\s*>\s*methodName\s*<\/name\s*>\s*<value\s*>\s*(?:<string\s*>\s*)?([\w.:/-]{1,200})/g;

/** What the methods of XML-RPC say that they do. They only add effects. */
export function xmlCallActs(content: RequestContent): Act[] {
  if (content.kind !== 'text' || !IS_CALL.test(content.text.slice(0, TEXT_MAX))) return [];
  const calls = [...content.text.slice(0, TEXT_MAX).matchAll(NAME)].slice(0, CALLS_MAX);
  return calls.flatMap(([, own, inner]) => {
    const name = own ?? inner;
    const act = actInName(name.split(/[./:]/).map(wordsOf), `the method "${name.slice(0, 60)}"`);
    return act === null ? [] : [{ ...act, isRepeated: true }];
  });
}
