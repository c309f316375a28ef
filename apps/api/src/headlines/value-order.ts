import type { RequestEffect } from '#contracts/risk';
import { wordsOf } from '../effects/names.js';
import type { NamedValue } from './named-values.js';
import { receiverRank } from './receivers.js';

/** Words of names, those of the most telling values first. */
const TELLING = [
  'amount amounts price total role roles permission permissions access visibility private public scope scopes admin owner privilege privileges grant',
  'to cc bcc channel recipient recipients email emails phone destination member members user users username login assignee assignees attendees account iban customer charge beneficiary payee vendor',
  'status state enabled disabled active archived locked deleted closed published suspended replicas quantity qty count all force cascade plan tier mode action method event template due reason',
  'id ids uuid name names title type subject summary key keys path ref branch url uri host domain bucket table index sku number model image version',
].map((words) => new Set(words.split(' ')));
/** They are long, and rarely decide. */
const TEXTS = new Set('text body message content description comment note'.split(' '));
/** They hardly ever decide anything. */
const NOISE = new Set(
  'schema locale timezone timestamp nonce etag cursor offset format encoding metadata html blocks jsonrpc signature api-version request-id idempotency-key messaging-product'.split(
    ' ',
  ),
);
/** Fields that say how to answer, or by which a client finds the request again. As containers they may say more. */
const TECHNICAL = new Set(
  'sha object livemode page per-page page-size expand include pretty client-request-id client-token correlation-id trace-id sender-batch-id customer-transaction-id quote-uuid'.split(
    ' ',
  ),
);
const DECIDING = new Set<RequestEffect['effect']>([
  'money',
  'permissions',
  'credentials',
  'publishing',
  'delete',
  'bulk',
  'code',
]);

/** The values in the order in which they tell what a request does: first those that its effects name. */
export function inOrder(values: readonly NamedValue[], effects: readonly RequestEffect[]): NamedValue[] {
  const named = new Set(
    effects
      .filter(({ effect }) => DECIDING.has(effect))
      .flatMap(({ reason }) => Array.from(reason.matchAll(/"([^"]{1,60})"/g), ([, name]) => name)),
  );
  const isMoney = effects.some(({ effect }) => effect === 'money');
  const ranked = values.map((value) => ({ value, rank: rankOf(value, named, isMoney) }));
  return ranked.sort((one, other) => one.rank - other.rank).map(({ value }) => value);
}

/** Of money, the sum comes first, and then who gets it. */
const FIRST = -5;

function rankOf({ path, value }: NamedValue, named: ReadonlySet<string>, isMoney: boolean): number {
  const last = path.at(-1) ?? '';
  const words = wordsOf(last);
  if (isNoise(path, value, words.join('-'))) return TELLING.length + 2;
  if (isMoney && /^amounts?$/i.test(last)) return FIRST;
  const receiver = isMoney ? receiverRank(path) : null;
  if (receiver !== null) return FIRST + 1 + receiver;
  if (named.has(last) || (isMoney && isList(value))) return -1;
  // An amount has its currency with it.
  if (isMoney && words.at(-1) === 'currency') return TELLING.length;
  if (isNameOfThing(path)) return last === 'name' ? 2 : TELLING.length + 1;
  // `to.email` and `project.key` are about what they stand below.
  const outer = path.length > 1 ? wordsOf(path.at(-2)!) : [];
  const at = [words.slice(-1), words, outer].map((some) =>
    TELLING.findIndex((telling) => some.some((word) => telling.has(word))),
  );
  const found = at.filter((rank) => rank !== -1);
  if (found.length > 0) return Math.min(...found);
  return TELLING.length + (words.some((word) => TEXTS.has(word)) ? 1 : 0);
}

/** The payments of a batch. */
const isList = (value: NamedValue['value']): boolean =>
  typeof value === 'object' && value !== null && value.count > 1 && !value.isAll && value.items.length > 0;

function isNoise(path: readonly string[], value: NamedValue['value'], last: string): boolean {
  if (typeof value === 'string') {
    if (path.at(-1) === 'Version' && /^\d{4}-\d\d-\d\d$/.test(value)) return true;
    // Of Kubernetes, the path says it.
    if (path.length === 1 && path[0] === 'kind' && /^[A-Z][A-Za-z]+$/.test(value)) return true;
  }
  return TECHNICAL.has(last) || (path.some((name) => NOISE.has(wordsOf(name).join('-'))) && !isNameOfThing(path));
}

/** Of Kubernetes. */
const isNameOfThing = (path: readonly string[]): boolean => /^metadata\.(?:name|namespace)$/.test(path.join('.'));
