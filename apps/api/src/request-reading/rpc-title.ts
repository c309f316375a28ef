import { enumerated } from './enumerated.js';
import type { RpcCall } from './rpc-calls.js';
import { isSecretField } from './secret-names.js';
import { shorten, spoken, visible } from './title-words.js';

const TITLE_MAX = 120;
const NAME_MAX = 40;
const BATCH_MAX = 50;
const SERVICE_MAX = 30;
/** The length of each value, and the number of values. The first pair that makes the text fit is used. */
const SIZES = [
  [40, 3],
  [20, 3],
  [12, 2],
] as const;
/** A longer text is no name, and reading it would take time. */
const READ_MAX = 500;
/** Arguments that name what a tool acts on, the most telling first. */
const NAMING = [
  /^(?:id|uuid|key)$|[a-z](?:_id|Id|ID|_uuid|Uuid|_key|Key)$/,
  /^(?:name|title|path|file|url|uri|email|to|recipient|channel|number|table|bucket|branch|ref)$|(?:_(?:name|path|file|url|email|number)|(?:Name|Path|File|Url|Email|Number))$/,
  /^(?:owner|repo|repository|project|org|organization|user|username|customer|account|order|issue|database|workspace|team)$/,
];

/**
 * The title of calls by JSON-RPC: `issue_credit · cus_42 · on Shop` for a tool of MCP, `eth_call · on Node`, `3 calls:
 * ping, ping and 1 more · on Shop`.
 * @param fields the arguments that the tool documents; empty: not known
 */
export function rpcTitle(calls: readonly RpcCall[], serviceName: string, fields: readonly string[]): string {
  const end = ` · on ${shorten(visible(serviceName), SERVICE_MAX)}`;
  if (calls.length !== 1) {
    const named = enumerated(calls, BATCH_MAX, (call) => spoken(nameOf(call), NAME_MAX));
    return `${calls.length} calls: ${named}${end}`;
  }
  const [call] = calls;
  let title = '';
  for (const [valueMax, valuesMax] of SIZES) {
    const things = call.tool === null ? [] : namingArguments(call.arguments, fields).slice(0, valuesMax);
    const thing = things.map(([, value]) => spoken(String(value), valueMax)).join('/');
    title = `${spoken(nameOf(call), NAME_MAX)}${thing === '' ? '' : ` · ${thing}`}${end}`;
    if (Array.from(title).length <= TITLE_MAX) break;
  }
  return title;
}

const nameOf = ({ method, tool }: RpcCall): string => tool ?? method;

/** The arguments that name what a tool acts on, in their order. Otherwise the first one with a value. */
export function namingArguments(given: unknown, fields: readonly string[]): [name: string, value: string | number][] {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return [];
  const values = Object.entries(given).filter(([name, value]) => isValue(value) && !isSecretField(name)) as [
    string,
    string | number,
  ][];
  // An argument that the tool does not have would name another thing.
  const documented = fields.length === 0 ? values : values.filter(([name]) => fields.includes(name));
  const naming = NAMING.flatMap((names) => documented.filter(([name]) => names.test(name)));
  const kept = new Set((naming.length > 0 ? naming : documented).slice(0, naming.length > 0 ? SIZES[0][1] : 1));
  return documented.filter((each) => kept.has(each));
}

const isValue = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.trim() !== '' && value.length <= READ_MAX
    : typeof value === 'number' || typeof value === 'bigint';
