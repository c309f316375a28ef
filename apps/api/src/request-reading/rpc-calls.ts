import { atOnce, type ShortSteps } from '../platform/short-steps.js';
import { fieldsOf, objectsIn } from './named-fields.js';
import { pathSegments } from './path-template.js';
import { contentSteps, mayHaveKey, type JsonObject, type JsonValue } from './request-content.js';
import type { MethodStatement } from './request-methods.js';

export interface RpcCall {
  method: string;
  params: JsonValue;
  /** For `tools/call`. */
  tool: string | null;
  arguments: JsonValue;
}

export interface RpcFacts {
  methods: string[];
  tools: string[];
  calls: RpcCall[];
}

/** The key of a procedure call, a call of a tool, or a key with an escaped letter, which could be one. */
const RPC_KEY = /"(?:jsonrpc"\s*:|tools(?:\\?\/|\\u002f)call"|\w{0,6}\\u00[4-7])/i;
export const RPC_SEGMENT = /^(?:(?:json|xml)-?rpc|rpc|mcp|soap)(?:\.\w+)?$/i;

/** The fields of a call. */
const CALL_FIELDS: ReadonlySet<string> = new Set(['jsonrpc', 'method', 'methodname', 'params', 'id']);
const TOOL_FIELDS: ReadonlySet<string> = new Set(['name', 'arguments']);

/** Several parts of the gateway ask about one request. */
const known = new WeakMap<MethodStatement, RpcFacts | 'undecidable' | null>();

/**
 * All calls of a JSON-RPC body, also in a batch. Null: there is none. `undecidable`: the body is JSON-RPC and can't be
 * read. See docs/reference/conditions.md#rpc.
 * @param request must not change afterwards, because it is read once
 */
export const rpcFacts = (request: MethodStatement): RpcFacts | 'undecidable' | null => atOnce(rpcSteps(request));

/** What `rpcFacts` returns. */
export function* rpcSteps(request: MethodStatement): ShortSteps<RpcFacts | 'undecidable' | null> {
  let facts = known.get(request);
  if (facts === undefined) known.set(request, (facts = yield* readFacts(request)));
  return facts;
}

function* readFacts(request: MethodStatement): ShortSteps<RpcFacts | 'undecidable' | null> {
  const content = yield* contentSteps(request);
  switch (content.kind) {
    case 'json':
      return yield* callsIn(content.value, isRpcPlace(request));
    case 'lines':
      return yield* callsIn(content.values, isRpcPlace(request));
    case 'unreadable':
      return mayBeRpc(request) ? 'undecidable' : null;
    default:
      return null;
  }
}

function* callsIn(body: JsonValue, isPlace: boolean): ShortSteps<RpcFacts | 'undecidable' | null> {
  const calls: RpcCall[] = [];
  for (const named of procedureCalls(yield* objectsIn(body, CALL_FIELDS), isPlace)) {
    for (const fields of [named, ...(yield* callsInside(named))]) {
      const call = yield* toCall(fields);
      if (call === null) return 'undecidable';
      calls.push(call);
    }
    yield;
  }
  if (calls.length === 0) return null;
  const tools = calls.flatMap(({ tool }) => tool ?? []);
  return { methods: unique(calls.map(({ method }) => method)), tools: unique(tools), calls };
}

/** Null: its method or its tool is no text. */
function* toCall({ method, params = null }: JsonObject): ShortSteps<RpcCall | null> {
  if (typeof method !== 'string') return null;
  if (method !== 'tools/call') return { method, params, tool: null, arguments: null };
  const named = yield* fieldsOf(params, TOOL_FIELDS);
  if (typeof named?.name !== 'string') return null;
  return { method, params, tool: named.name, arguments: named.arguments ?? null };
}

/** The calls in one of `system.multicall`. */
function* callsInside({ method, params = null }: JsonObject): ShortSteps<JsonObject[]> {
  if (method !== MULTICALL) return [];
  const inner = typeof params === 'object' && !Array.isArray(params) ? Object.values(params ?? {}) : params;
  const objects = yield* objectsIn(inner, CALL_FIELDS);
  return objects.map((fields) => ({ ...fields, method: fields.methodname ?? fields.method ?? null }));
}

/** A call of many, which names no one of them. */
export const MULTICALL = 'system.multicall';

/**
 * The calls among the objects of a body. Many servers run a call without `jsonrpc` or `id` too: a batch with one call
 * is one of calls, and so is every object with the name of a method at an endpoint for calls, and one of a tool anywhere.
 */
export function procedureCalls<T extends Record<string, unknown>>(objects: readonly T[], isPlace: boolean): T[] {
  const named = objects.filter((call) => 'method' in call);
  const isRpc =
    objects.some((call) => 'jsonrpc' in call) ||
    named.some(
      (call) =>
        ('params' in call && 'id' in call) ||
        call.method === 'tools/call' ||
        (isPlace && typeof call.method === 'string'),
    );
  return isRpc ? named : [];
}

/** Whether a documented operation takes calls, as its path or the fields of its body say. */
export const isRpcEndpoint = ({ path, fields }: { path: string; fields: readonly string[] }): boolean =>
  pathSegments(path.split('?', 1)[0]).some((segment) => RPC_SEGMENT.test(segment)) ||
  (fields.includes('jsonrpc') && fields.includes('method'));

const mayBeRpc = (request: MethodStatement): boolean => mayHaveKey(request, RPC_KEY) || isRpcPlace(request);

const isRpcPlace = ({ targetUrl }: MethodStatement): boolean =>
  pathSegments(new URL(targetUrl).pathname).some((segment) => RPC_SEGMENT.test(segment));

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

/** The tools that a request calls by `tools/call` of MCP. */
export function calledTools(request: MethodStatement): readonly string[] {
  const facts = rpcFacts(request);
  return facts === null || facts === 'undecidable' ? [] : facts.tools;
}
