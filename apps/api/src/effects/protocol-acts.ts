import type { JsonValue, RequestContent } from '../request-reading/request-content.js';
import { isGraphqlText } from '../request-reading/graphql-text.js';
import { MULTICALL } from '../request-reading/rpc-calls.js';
import { actInName, actInSentence, type Act } from './act.js';
import { tableOf, thingsIn, verbAt, wordsOf } from './names.js';
import { DISPATCHERS } from './words.js';
import type { EffectSubject } from './subject.js';

/** What a protocol in the body or the headers says that a request does. */
export interface ProtocolActs {
  acts: Act[];
  /** Whether everything that it says only reads. */
  isRead: boolean;
  /** Whether the body says nothing else, so that only this protocol's servers take it. */
  isPure: boolean;
  /** Whether it runs a statement, which says what it does. */
  runsSql: boolean;
  /** What it gives the calls that run one. */
  statements: JsonValue[];
  /** Why it can't be told what it does. */
  unclear: string | null;
  /** Whether some of it could not be read. */
  isCut: boolean;
  /** Parameters that are no fields of the body or the query. */
  parameters: JsonValue[];
}

const none = (): ProtocolActs => ({
  acts: [],
  isRead: true,
  isPure: true,
  runsSql: false,
  statements: [],
  unclear: null,
  isCut: false,
  parameters: [],
});

/** GraphQL: every operation of the documents counts. */
export function graphqlActs({ graphql, content }: EffectSubject): ProtocolActs | null {
  if (graphql === null) return null;
  const found = { ...none(), isPure: hasOnlyDocuments(content) };
  if (graphql.isUndecidable) {
    found.isRead = false;
    found.isCut = true;
    found.unclear = 'the GraphQL document cannot be read';
  }
  // The agent made up the name, so it only adds.
  found.acts.push(...graphql.operationNames.flatMap((name) => actingIn(name, `the operation "${name.slice(0, 60)}"`)));
  for (const { type, fields, directives } of graphql.operations) {
    if (type !== 'query') found.isRead = false;
    found.parameters.push(...directives);
    for (const { name, arguments: given, isNested } of fields) {
      const label = `the ${isNested ? 'field' : type} "${name.slice(0, 60)}"`;
      const act = actInName([wordsOf(name)], label);
      const isReading = act === null || act.verb.kind === 'read';
      // `mutation { users { delete(id: 1) } }`; other fields below take arguments to select what is returned.
      if (isNested && isReading) continue;
      found.parameters.push(...given);
      if (type === 'query') {
        found.acts.push(isReading ? readingOf(name, label) : { ...act, verb: { ...act.verb, kind: 'read' } });
      } else if (act === null) found.unclear ??= `${label} does not say what it changes`;
      else found.acts.push({ ...act, verb: isReading ? { ...act.verb, kind: 'change' } : act.verb, isRepeated: true });
    }
  }
  return found;
}

/** Whether a body has nothing but what GraphQL takes. Elsewhere than at its endpoint, a server may read the rest. */
function hasOnlyDocuments(content: RequestContent): boolean {
  switch (content.kind) {
    case 'none':
      return true;
    case 'text':
      return isGraphqlText(content.text);
    case 'form':
      return [...content.fields.keys()].every((name) => GRAPHQL_KEYS.has(name.toLowerCase()));
    case 'json':
      return [content.value].flat().every(isGraphqlBody);
    default:
      return false;
  }
}
const isGraphqlBody = (item: JsonValue): boolean =>
  typeof item === 'object' &&
  item !== null &&
  !Array.isArray(item) &&
  Object.keys(item).every((name) => GRAPHQL_KEYS.has(name.toLowerCase()));
const GRAPHQL_KEYS = new Set(['query', 'variables', 'operationname', 'extensions']);

/** What a name says that the agent chose, if it says that something acts. */
const actingIn = (name: string, label: string): Act[] => {
  const act = actInName([wordsOf(name)], label);
  return act === null || act.verb.kind === 'read' || act.verb.kind === 'change' ? [] : [act];
};

const readingOf = (name: string, label: string): Act => ({
  verb: { kind: 'read', text: 'get', length: 1 },
  things: thingsIn(wordsOf(name)),
  isMany: false,
  name: label,
});

/** Methods of MCP that read, whatever their names say. Other servers may have methods such as `jobs/list` too. */
const MCP_READS = tableOf(
  `initialize ping tools/list resources/list resources/templates/list resources/read prompts/list prompts/get roots/list
  completion/complete notifications/initialized notifications/cancelled notifications/progress notifications/message
  notifications/tools/list_changed notifications/resources/list_changed notifications/prompts/list_changed
  notifications/roots/list_changed notifications/resources/updated`,
);

/** More calls are not read. */
const CALLS_MAX = 500;

/** JSON-RPC and the tools of MCP. */
export function rpcActs({ rpc, tools, content }: EffectSubject): ProtocolActs | null {
  if (rpc === null) return null;
  if (rpc === 'undecidable')
    return { ...none(), isRead: false, isCut: true, unclear: 'the JSON-RPC calls cannot be read' };
  const found = { ...none(), isPure: hasOnlyCalls(content, rpc.calls.length) };
  if (rpc.calls.length > CALLS_MAX) {
    found.isRead = false;
    found.isCut = true;
    found.unclear = `it has more than ${CALLS_MAX} calls`;
  }
  for (const call of rpc.calls.slice(0, CALLS_MAX)) {
    if (call.tool === null && MCP_READS.has(call.method)) continue;
    // The calls in it say what it does.
    if (call.tool === null && call.method === MULTICALL) {
      found.isRead = false;
      found.isPure = false;
      continue;
    }
    const name = call.tool ?? call.method;
    const label = `the ${call.tool === null ? 'method' : 'tool'} "${name.slice(0, 60)}"`;
    const tool = call.tool === null ? null : (tools?.get(call.tool) ?? null);
    if (call.tool !== null && tools !== null && tool === null) {
      found.unclear ??= `${label} is not in the list of tools`;
      found.isRead = false;
    }
    const parts = name.split(/[./:]/).map(wordsOf);
    const words = parts.at(-1) ?? [];
    const isDispatching = call.tool === null && DISPATCHING.has(words.join('-'));
    const dispatched = isDispatching ? dispatchedAct(call.params, label) : null;
    if (isDispatching && dispatched === null) found.unclear ??= `${label} does not say what it calls`;
    const act =
      dispatched ??
      (verbAt(words, 0, false) === null && call.tool === null
        ? (actInName([stripped(words)], label) ?? actInName(parts, label))
        : actInName(parts, label));
    const said = tool?.summary ? actInSentence(wordsOf(tool.summary), label) : null;
    const hints = tool?.annotations ?? {};
    const reads = act?.verb.kind === 'read' && hints.readOnlyHint !== false && hints.destructiveHint !== true;
    const runsSql =
      act?.runsSql === true &&
      (act.verb.kind === 'code' || act.verb.kind === 'change') &&
      hints.destructiveHint !== true;
    if (runsSql) {
      found.runsSql = true;
      found.statements.push(call.tool === null ? call.params : call.arguments);
    } else if (!reads) found.isRead = false;
    if (act !== null) found.acts.push({ ...act, isRepeated: true });
    else found.unclear ??= `${label} does not say what it changes`;
    if (said !== null && said.verb.kind !== 'read' && !runsSql) {
      found.acts.push(said);
      found.isRead = false;
    }
    if (hints.destructiveHint === true && hints.readOnlyHint !== true)
      found.acts.push({
        verb: { kind: 'delete', text: 'delete', length: 1 },
        things: [],
        isMany: false,
        name: `${label}, which its list calls destructive,`,
      });
  }
  return found;
}

const CALL_KEYS = tableOf('jsonrpc id method params');
function hasOnlyCalls(content: RequestContent, count: number): boolean {
  const items = content.kind === 'json' ? [content.value].flat() : [];
  const isCall = (item: JsonValue): boolean =>
    typeof item === 'object' && item !== null && Object.keys(item).every((key) => CALL_KEYS.has(key));
  return items.length === count && items.every(isCall);
}

const DISPATCHING = tableOf(DISPATCHERS);
const NAME = /^[A-Za-z_][\w.]{0,99}$/;
/** Names among the parameters that are read. */
const DISPATCHED_MAX = 8;

/**
 * What a call such as Odoo's `execute_kw` calls. Each name in its parameters may say that it acts. Only the one at the place
 * of the called method says that it reads.
 */
function dispatchedAct(params: JsonValue, label: string): Act | null {
  const given = typeof params === 'object' && params !== null && !Array.isArray(params) ? params : { args: params };
  const list = Array.isArray(given.args) ? given.args : [];
  const names = [given.model, given.method, ...list.slice(0, DISPATCHED_MAX)].filter(isName);
  const things = names.filter((name) => name.includes('.')).flatMap((name) => thingsIn(wordsOf(name)));
  // `action_` and `button_` say nothing. A statement among other arguments does not say what the call does.
  const actOf = (name: string): Act[] => {
    const act = actInName([wordsOf(name.replace(/^(?:action|button)_/, ''))], label);
    return act === null ? [] : [{ ...act, things: [...act.things, ...things], runsSql: false }];
  };
  const called = calledName(given.method, list);
  const [first, ...others] = [called, ...names]
    .filter((name) => name !== null && !name.includes('.'))
    .flatMap((name) => actOf(name!))
    .filter(({ verb }) => verb.kind !== 'read');
  if (first !== undefined) return { ...first, others: [...(first.others ?? []), ...others] };
  return called === null ? null : (actOf(called)[0] ?? null);
}

/** The name at the place of the called method: `method`, or behind database, user, password and model as Odoo has it. */
function calledName(method: JsonValue | undefined, list: readonly JsonValue[]): string | null {
  if (isName(method)) return method;
  const [, user, , , name] = list;
  return (typeof user === 'bigint' || typeof user === 'number') && isName(name) ? name : null;
}

const isName = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && NAME.test(value) && !DISPATCHING.has(wordsOf(value).join('-'));

/** Without the name of the API in front: `eth_sendTransaction`, `github_create_issue`. */
const stripped = (words: readonly string[]): readonly string[] => (words.length > 1 ? words.slice(1) : words);

/** The hosts of AWS read the name of the operation from a header or a parameter, and only there. */
const AWS_HOST = /(?:^|\.)(?:amazonaws\.com(?:\.cn)?|api\.aws)$/i;

/** `X-Amz-Target`, and `Action` of the query protocol. */
export function awsActs({ headers, query, content, body, host, paths }: EffectSubject): ProtocolActs | null {
  if (!AWS_HOST.test(host) || !paths.every((path) => path === '/' || path === '')) return null;
  const targets = Object.entries(headers).flatMap(([name, value]) =>
    name.toLowerCase() === 'x-amz-target' ? value : [],
  );
  // Servers may take another one of two names. So such a form counts too, and never reads.
  const isUnreadable = content.kind === 'unreadable';
  const form = isUnreadable ? new URLSearchParams(body ?? '') : [];
  const fields = content.kind === 'form' ? Array.from(content.fields, ([name, [value]]) => [name, value]) : [];
  const actions = [...query, ...form, ...fields].flatMap(([name, value]) => (name === 'Action' ? value : []));
  const found = { ...none(), isRead: !isUnreadable };
  for (const name of [...targets, ...actions]) {
    const label = `the operation "${name.slice(0, 80)}"`;
    const act = actInName([wordsOf(name.split('.').at(-1)!)], label);
    if (act === null) found.unclear ??= `${label} does not say what it changes`;
    else found.acts.push(act);
    if (act?.runsSql && act.verb.kind === 'code') {
      found.runsSql = true;
      if (content.kind === 'json') found.statements.push(content.value);
    } else if (act?.verb.kind !== 'read') found.isRead = false;
  }
  return found.acts.length === 0 && found.unclear === null ? null : found;
}
