import { exactForm } from '../request-reading/exact-form.js';
import type { JsonObject, JsonValue } from '../request-reading/exact-json.js';
import { graphqlFacts } from '../request-reading/graphql-operation.js';
import { bodyBytes, CONTENT_MAX_BYTES, requestContent } from '../request-reading/request-content.js';
import { contentType, judgedMethod, requestMethods, type MethodStatement } from '../request-reading/request-methods.js';
import { rpcFacts } from '../request-reading/rpc-calls.js';
import { Fields, Steps, Undecided, type Value } from './values.js';

type Result = Value | Undecided;

/** What conditions know of a documented operation, or of the tool that is called. */
export interface ConditionOperation {
  /** The `operationId`, or the tool's name. */
  id: string | null;
  tags: readonly string[];
  summary: string | null;
  deprecated: boolean;
  isWrite: boolean;
}

/**
 * Where the facts of a request come from. Each is asked for at most once, and only if a condition reads it. What reads a
 * fact that is left out is undecided.
 */
export interface FactSources extends OtherFacts {
  request: MethodStatement;
  agentId: number;
  nowMs: number;
}

/** What the request itself does not say. */
export interface OtherFacts {
  agentName?: string;
  /** Null: the request is not documented. `ambiguous`: servers may take it for different operations. */
  operation?: () => ConditionOperation | null | 'ambiguous';
  /** The values of the parameters in the documented path. `ambiguous`: servers may read different ones. */
  pathParams?: () => Readonly<Record<string, string>> | 'ambiguous';
  effects?: () => readonly string[];
  /** Null: nobody knows. */
  firstTime?: () => boolean | null;
}

/** The facts of one request, for all conditions of its service. */
export class ConditionFacts {
  /** What is left for the conditions that come next. */
  readonly steps = new Steps();
  /** What the condition of each rule came to. A request and the readings of its path don't change. */
  readonly results = new WeakMap<object, boolean | { undecided: string }>();
  private readonly variables: Fields;
  private readonly request: Fields;

  constructor(sources: FactSources) {
    this.request = requestFields(sources);
    this.variables = variableFields(sources);
  }

  variable(name: string, path: string): Result {
    return name === 'request' ? new RequestAt(this.request, path) : this.variables.get(name);
  }
}

/** The request with one of the readings of its path. */
class RequestAt extends Fields {
  constructor(
    private readonly fields: Fields,
    private readonly path: string,
  ) {
    super({});
  }

  override get(name: string): Result {
    return name === 'path' ? this.path : this.fields.get(name);
  }
}

const given = <T>(source: (() => T) | undefined, name: string, toValue: (read: T) => Result): Result =>
  source === undefined ? new Undecided(`${name} is not known here`) : toValue(source());

function variableFields(sources: FactSources): Fields {
  const { request, agentId, agentName, nowMs } = sources;
  return new Fields({
    agent: () =>
      new Fields({
        id: () => BigInt(agentId),
        name: () => agentName ?? new Undecided('the name of the agent is not known here'),
      }),
    operation: () => given(sources.operation, 'operation', operationFields),
    graphql() {
      const facts = graphqlFacts(request);
      if (facts === 'undecidable') return new Undecided('the GraphQL operation can not be read');
      if (facts === null) return null;
      const { type, names, fields } = facts;
      return new Fields({ type: () => type, names: () => names, fields: () => fields });
    },
    rpc() {
      const facts = rpcFacts(request);
      if (facts === 'undecidable') return new Undecided('the procedure call can not be read');
      return facts === null
        ? null
        : new Fields({
            methods: () => facts.methods,
            tools: () => facts.tools,
            calls: () => facts.calls.map(callFields),
          });
    },
    effects: () => given(sources.effects, 'effects', (effects) => [...effects]),
    firstTime: () =>
      given(
        sources.firstTime,
        'firstTime',
        (isFirst) => isFirst ?? new Undecided('nobody knows whether it is the first time'),
      ),
    now: () => new Date(nowMs),
  });
}

const AMBIGUOUS = new Undecided('servers may take the request for different operations');

function operationFields(operation: ConditionOperation | null | 'ambiguous'): Fields | null | Undecided {
  if (operation === 'ambiguous') return AMBIGUOUS;
  if (operation === null) return null;
  const { id, tags, summary, deprecated, isWrite } = operation;
  return new Fields({
    id: () => id ?? '',
    tags: () => [...tags],
    summary: () => summary ?? '',
    deprecated: () => deprecated,
    isWrite: () => isWrite,
  });
}

const callFields = (call: { method: string; params: JsonValue; tool: string | null; arguments: JsonValue }): Fields =>
  new Fields({
    method: () => call.method,
    params: () => call.params,
    tool: () => call.tool,
    arguments: () => call.arguments,
  });

function requestFields({ request, pathParams }: FactSources): Fields {
  return new Fields({
    method: () =>
      requestMethods(request).length > 1
        ? new Undecided('the request asks to be taken for another method')
        : judgedMethod(request),
    pathParams: () =>
      given(pathParams, 'request.pathParams', (params) =>
        params === 'ambiguous' ? AMBIGUOUS : toMap(Object.entries(params)),
      ),
    query: () => queryOf(request.targetUrl),
    headers: () => headersOf(request.headers),
    contentType: () => essenceOf(contentType(request.headers)),
    size: () => BigInt(bodyBytes(request)),
    body: () => bodyOf(request),
    text: () => textOf(request),
  });
}

function bodyOf(request: MethodStatement): Result {
  const content = requestContent(request);
  switch (content.kind) {
    case 'none':
      return null;
    case 'json':
      return content.value;
    case 'form': {
      const repeated = Array.from(content.fields).find(([, values]) => values.length > 1);
      if (repeated) return new Undecided(`the form has the field ${repeated[0].slice(0, 40)} more than once`);
      return toMap(Array.from(content.fields, ([name, [value]]) => [name, value]));
    }
    case 'lines':
      return content.values;
    case 'text':
      return new Undecided('the body has no fields');
    case 'unreadable':
      return new Undecided(`the body can not be read: ${content.reason}`);
  }
}

function textOf(request: MethodStatement): Result {
  const content = requestContent(request);
  if (content.kind === 'none') return '';
  if (content.kind === 'unreadable') return new Undecided(`the body can not be read: ${content.reason}`);
  return bodyBytes(request) > CONTENT_MAX_BYTES ? new Undecided('the body has more than 1 MB') : request.body!;
}

function queryOf(targetUrl: string): Result {
  const start = targetUrl.indexOf('?');
  const read = exactForm(start === -1 ? '' : targetUrl.slice(start + 1).split('#', 1)[0]);
  if ('fault' in read) return new Undecided(`the query can not be read: ${read.fault}`);
  return toMap(Array.from(read.fields, ([name, values]) => [name, [...values]]));
}

function headersOf(headers: Record<string, string>): Result {
  const joined = new Map<string, string>();
  for (const [written, value] of Object.entries(headers)) {
    const name = written.toLowerCase();
    const earlier = joined.get(name);
    joined.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return toMap([...joined]);
}

const essenceOf = (type: string): Result =>
  type.includes(',') ? new Undecided('there are two content types') : type.split(';', 1)[0].trim();

function toMap(entries: readonly (readonly [string, Value])[]): Value {
  const map = Object.create(null) as Record<string, Value>;
  for (const [name, value] of entries) map[name] = value;
  return map as JsonObject;
}
