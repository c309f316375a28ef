/**
 * The line by which an approver knows a held request: what it does, with the values that decide. It comes from method,
 * path, query, body and documents, never from the intent. Pure. docs/reference/dashboard-api.md#headlines
 */
import type { RequestEffect } from '#contracts/risk';
import type { DocumentedOperationEntity } from '#database';
import type { FormPart } from '../egress/form-parts.js';
import { isSql } from '../effects/sql.js';
import { sqlCode } from '../effects/sql-code.js';
import { isReadAlike, type Step } from '../request-reading/path-steps.js';
import type { TemplatePath } from '../request-reading/path-template.js';
import { requestContent } from '../request-reading/request-content.js';
import { judgedMethod, type MethodStatement } from '../request-reading/request-methods.js';
import { describeRequest, isShownWhole, meaningfulSteps, thingInPath } from '../request-reading/request-summary.js';
import type { RpcCall, RpcFacts } from '../request-reading/rpc-calls.js';
import { namingArguments } from '../request-reading/rpc-title.js';
import type { StatedOperation } from '../request-reading/stated-operation.js';
import { shorten, visible } from '../request-reading/title-words.js';
import { moneyIn, type Money } from './money.js';
import { EMPTY_OBJECT, type NamedValue, type NamedValues } from './named-values.js';
import { receiverRank } from './receivers.js';
import { valuesOf } from './request-values.js';
import type { ToldAct } from './told-act.js';
import { toldAct } from './told-acts.js';
import { inOrder } from './value-order.js';
import { nameOf, showNamed, showText, type Shown } from './value-texts.js';

export const HEADLINE_MAX = 110;
/** How much of it says what is done, if there are values. */
const LEAD_MAX = 64;
const STATEMENT_MAX = 70;
/** For ` · and 12 more [3fa9c1]`. */
const END_MAX = 23;
const CODE_LENGTH = 6;
/** Lengths of the first value, which must fit. */
const VALUE_SIZES = [40, 24, 10] as const;
/** Where the line shows all that there is. */
const WHOLE_VALUE_MAX = 60;

type Operation = TemplatePath &
  Pick<DocumentedOperationEntity, 'summary' | 'excerpt'> &
  Partial<Pick<DocumentedOperationEntity, 'facts'>>;

export interface HeadlineRequest {
  /** Must not change afterwards, because it is read once. */
  request: MethodStatement;
  url: URL;
  service: { name: string; baseUrl: string };
  operation: Operation | null;
  /** `statedOperation` and `rpcFacts` of the request. To read them takes time. */
  stated: StatedOperation | null;
  rpc: RpcFacts | 'undecidable' | null;
  effects: readonly RequestEffect[];
  /** The parts of a form with files. */
  parts: readonly FormPart[] | null;
  /** A hash of all that the request sends. */
  equalHash: string;
}

/**
 * `Refund €12,500.00 · order 7731`, `Make acme/shop public`, `DELETE customers · status: inactive`. If the line does not
 * have everything that the request says, it ends with a code that differs when anything differs: ` · and 3 more [3fa9c1]`.
 */
export function requestHeadline(about: HeadlineRequest): string {
  const read = readRequest(about);
  const lead = bounded(leadOf(about, read));
  const items = itemsOf(about, read, lead);
  const isRead = lead.saysBody === true || !read.values.isCut;
  return (lead.isWhole && isRead ? wholeLine(lead.text, items) : null) ?? cutLine(lead.text, items, about.equalHash);
}

/** The titles of calls and of stated operations have lengths of their own. */
function bounded(lead: ToldAct): ToldAct {
  const text = shorten(lead.text, HEADLINE_MAX - END_MAX);
  return text === lead.text ? lead : { ...lead, text, isWhole: false };
}

/** The lead with all values. Null: they do not fit, or not all of them are shown whole. */
function wholeLine(lead: string, items: readonly Item[]): string | null {
  let line = lead;
  for (const { show } of items) {
    const { text, isWhole } = show(WHOLE_VALUE_MAX);
    line += SEPARATOR + text;
    if (!isWhole || lengthOf(line) > HEADLINE_MAX) return null;
  }
  return line;
}

/** The lead with as many values as fit, and with a code. */
function cutLine(lead: string, items: readonly Item[], equalHash: string): string {
  let line = lead;
  let left = items.reduce((sum, { count }) => sum + count, 0);
  for (const { show, count } of items) {
    const room = HEADLINE_MAX - END_MAX - lengthOf(line) - SEPARATOR.length;
    const text = fittingText(room, show, line === lead);
    if (text === null) break;
    line += SEPARATOR + text;
    left -= count;
  }
  const more = left === 0 ? '' : `${SEPARATOR}and ${left} more`;
  return `${line}${more} [${equalHash.slice(0, CODE_LENGTH)}]`;
}

/** The longest text that fits. @param mustFit whether it is the first one, which is cut to any length */
function fittingText(room: number, show: Item['show'], mustFit: boolean): string | null {
  for (const max of mustFit ? VALUE_SIZES : VALUE_SIZES.slice(0, 2)) {
    const { text } = show(max);
    if (lengthOf(text) <= room) return text;
  }
  return null;
}

const SEPARATOR = ' · ';
const lengthOf = (text: string): number => Array.from(text).length;

interface ReadRequest {
  call: RpcCall | null;
  steps: readonly Step[];
  isReadAlike: boolean;
  values: NamedValues;
  money: readonly Money[];
}

function readRequest({ request, url, service, operation, stated, rpc, parts }: HeadlineRequest): ReadRequest {
  const calls = stated?.by !== 'rpc' || rpc === null || rpc === 'undecidable' ? [] : rpc.calls;
  const steps = meaningfulSteps(url, service.baseUrl, operation);
  const values = valuesOf(url, { request, steps, parts, calls, isGraphql: stated?.by === 'graphql' });
  const money = moneyIn(values.list, { host: url.hostname, description: operation?.excerpt ?? '' });
  return {
    call: calls.length === 1 ? calls[0] : null,
    steps,
    isReadAlike: isReadAlike(url, service.baseUrl),
    values,
    money,
  };
}

function leadOf(about: HeadlineRequest, read: ReadRequest): ToldAct {
  const { request, url, service, operation, stated, rpc } = about;
  const { steps, values } = read;
  const method = judgedMethod(request);
  if (stated === null && read.isReadAlike) {
    const thing = thingInPath(method, steps, LEAD_MAX);
    const isDescribed = Boolean(operation?.summary);
    const { money } = read;
    const told =
      toldAct({ method, steps, values: values.list, money, thing, isDescribed }) ?? tellStatement(request, values);
    if (told) return told;
  }
  const saysNothing = values.note === null && values.list.every(({ value }) => value === EMPTY_OBJECT);
  const max = saysNothing ? HEADLINE_MAX - END_MAX : LEAD_MAX;
  const text = describeRequest(method, url, service, operation, stated, rpc, max);
  const { named, used } = statedElsewhere(about, read);
  const isWhole =
    read.isReadAlike && saysAll(stated, read.call, named) && !text.includes('…') && steps.every(isShownWhole);
  return { text: named === null ? text : `${text}: ${named}`, isWhole, used };
}

/** Whether the lead and the values have all that the request says it does. */
function saysAll(stated: StatedOperation | null, call: RpcCall | null, named: string | null): boolean {
  switch (stated?.by) {
    case 'graphql':
      return false;
    case 'rpc':
      return call !== null;
    // The header may name another operation.
    case 'parameter':
      return named !== null;
    default:
      return true;
  }
}

/** The operation that a header or a parameter names, and the arguments that the title of a call has. */
function statedElsewhere(
  { request, operation, stated }: HeadlineRequest,
  { call, values: { list } }: ReadRequest,
): { named: string | null; used: NamedValue[] } {
  if (call?.tool != null) {
    const fields = operation?.path === '' ? (operation.facts?.fields ?? []) : [];
    const names = new Set(namingArguments(call.arguments, fields).map(([name]) => name));
    const isNamed = ({ path, value }: NamedValue): boolean =>
      path.length === 1 && names.has(path[0]) && typeof value !== 'object' && String(value).length <= NAMED_MAX;
    return { named: null, used: names.size > NAMED_COUNT_MAX ? [] : list.filter(isNamed) };
  }
  if (stated?.by !== 'parameter') return { named: null, used: [] };
  const targets = Object.entries(request.headers).filter(([name]) => name.toLowerCase() === 'x-amz-target');
  const parameters = list.filter(({ path }) => path.length === 1 && /^(?:action|operation|method)$/i.test(path[0]));
  const [named, ...others] = [
    ...targets.map(([, value]) => value.split('.').at(-1)!),
    ...parameters.map(({ value }) => (typeof value === 'string' ? value : '')),
  ];
  const isName = named !== undefined && others.length === 0 && /^\w{1,60}$/.test(named);
  return isName ? { named, used: parameters } : { named: null, used: [] };
}

/** What the title of a call shows of each argument, and of how many. */
const NAMED_MAX = 12;
const NAMED_COUNT_MAX = 2;

/** `Run SQL: DELETE FROM customers WHERE id = 7`, without comments and the texts in it. */
function tellStatement(request: MethodStatement, { list }: NamedValues): ToldAct | null {
  const content = requestContent(request);
  const field = list.find(({ path, value }) => SQL_FIELDS.test(path.at(-1) ?? '') && typeof value === 'string');
  const sql = content.kind === 'text' ? content.text : typeof field?.value === 'string' ? field.value : '';
  if (!isSql(sql) || /["`]/.test(sql) || sql.length > STATEMENT_READ_MAX) return null;
  const code = sqlCode(sql, 'postgres');
  if (code === null || code !== sqlCode(sql, 'mysql')) return null;
  const text = visible(code.replaceAll("''", "'…'").replace(/\s+/g, ' '));
  const isWhole = text === sql && lengthOf(text) <= STATEMENT_MAX;
  return {
    text: `Run SQL: ${shorten(text, STATEMENT_MAX)}`,
    isWhole,
    used: field ? [field] : [],
    saysBody: content.kind === 'text',
  };
}

const SQL_FIELDS = /^(?:query|sql|statement|stmt|q)$/i;
const STATEMENT_READ_MAX = 20_000;

/** What can follow the lead. */
interface Item {
  /** Asked only while there is room, because it costs time. */
  show: (max: number) => Shown;
  /** How many values it shows. */
  count: number;
}

function itemsOf({ effects }: HeadlineRequest, { values, money }: ReadRequest, { used, saysBody }: ToldAct): Item[] {
  const said = new Set(used);
  const sums = money.filter(({ amount }) => !said.has(amount));
  const currencies = new Set(sums.map(({ currency }) => currency).filter((currency) => !said.has(currency)));
  for (const { amount, currency } of sums) said.add(amount).add(currency);
  const rest = inOrder(
    values.list.filter((value) => !said.has(value)),
    effects,
  );
  const note = saysBody ? null : values.note;
  const named = (value: NamedValue): Item => ({ show: (max) => showNamed(value, max), count: 1 });
  // Behind the sum that is moved. Other sums are fees and parts.
  const receivers = sums.length < money.length ? rest.filter(({ path }) => receiverRank(path) === 0) : [];
  return [
    ...(note === null ? [] : [{ show: () => ({ text: note, isWhole: false }), count: 0 }]),
    ...receivers.map(named),
    ...sums.map((sum, index) => ({
      show: () => ({ text: labelled(sum, sums.length), isWhole: sum.amount.path.length <= 2 }),
      count: 1 + (index === 0 ? currencies.size : 0),
    })),
    ...rest.filter((value) => !receivers.includes(value)).map(named),
  ];
}

/** Of one amount, everybody knows which it is. */
function labelled({ text, amount: { path } }: Money, count: number): string {
  const names = path.filter((name) => !/^(?:amount|value|total)$/i.test(name));
  return count === 1 && names.length === 0 ? text : `${showText(nameOf(path), LABEL_MAX).text}: ${text}`;
}

const LABEL_MAX = 30;
