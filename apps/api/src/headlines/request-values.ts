import type { FormPart } from '../egress/form-parts.js';
import { formatSize } from '../platform/format-size.js';
import { graphqlCalls } from '../request-reading/graphql-calls.js';
import { singular } from '../request-reading/singular.js';
import type { Step } from '../request-reading/path-steps.js';
import { bodyBytes, requestContent, type JsonValue } from '../request-reading/request-content.js';
import { contentType, type MethodStatement } from '../request-reading/request-methods.js';
import type { RpcCall } from '../request-reading/rpc-calls.js';
import { isSecretField, isSecretParameter } from '../request-reading/secret-names.js';
import { ValueCollector, type NamedValues } from './named-values.js';

/** How the request says what it does, apart from its query. */
export interface BodyReading {
  request: MethodStatement;
  /** The steps of its path. */
  steps: readonly Step[];
  /** The parts of a form with files. */
  parts: readonly FormPart[] | null;
  /** The calls of JSON-RPC that the body is. */
  calls: readonly RpcCall[];
  isGraphql: boolean;
}

/** The values in the query and the body of a request. */
export function valuesOf(url: URL, reading: BodyReading): NamedValues {
  const found = new ValueCollector();
  for (const name of new Set(url.searchParams.keys())) {
    found.addField([name], url.searchParams.getAll(name), isSecretParameter(name));
    if (found.isCut) return found;
  }
  addBody(found, reading);
  return found;
}

function addBody(found: ValueCollector, { request, steps, parts, calls, isGraphql }: BodyReading): void {
  // What is stored below `/secrets` may be a secret, whatever the field is called.
  const mayBeSecret = steps.some(({ text, isIdentifier }) => !isIdentifier && isSecretField(text));
  if (calls.length > 1) return found.addUnread(null);
  if (calls.length === 1) return found.addBody(calls[0].tool === null ? calls[0].params : calls[0].arguments, false);
  if (isGraphql) return addVariables(found, request);
  if (parts !== null) return addParts(found, parts, mayBeSecret);
  const content = requestContent(request);
  const size = formatSize(bodyBytes(request));
  switch (content.kind) {
    case 'none':
      return;
    case 'json':
      return isObject(content.value) && Object.keys(content.value).length === 0
        ? found.addEmptyObject()
        : found.addBody(content.value, mayBeSecret, thingsIn(steps));
    case 'lines':
      return found.addBody({ lines: content.values }, mayBeSecret);
    case 'form':
      for (const [name, values] of content.fields) found.addField(formPath(name), values, mayBeSecret);
      return;
    case 'text': {
      const type = contentType(request.headers).split(';', 1)[0].trim();
      return found.addUnread(`${/^[\w.+-]{1,30}\/[\w.+-]{1,50}$/.test(type) ? `${type} ` : ''}body of ${size}`);
    }
    case 'unreadable':
      return found.addUnread(`body of ${size} that cannot be read`);
  }
}

/** `ticket` for `/tickets.json` */
const thingsIn = (steps: readonly Step[]): ReadonlySet<string> =>
  new Set(steps.flatMap(({ text }) => [text, singular(text.replace(/\.json$/, ''))]));

function addParts(found: ValueCollector, parts: readonly FormPart[], mayBeSecret: boolean): void {
  for (const { name, filename, size, text } of parts) {
    if (filename === undefined && text !== undefined) found.addField([name], [text], mayBeSecret);
    else {
      found.addField([name], [`${filename === undefined ? '' : `${filename}, `}${formatSize(size)}`], false);
      // Two files can have one name and size.
      found.addUnread(null);
    }
  }
}

/** What a GraphQL request gives its fields, by the variables and in the document. */
function addVariables(found: ValueCollector, request: MethodStatement): void {
  const content = requestContent(request);
  const body = content.kind === 'json' ? content.value : null;
  if (typeof body === 'object' && body !== null && !Array.isArray(body) && isObject(body.variables)) {
    found.addBody(body.variables, false);
  }
  for (const { fields } of graphqlCalls(request)?.operations ?? []) {
    for (const given of fields.flatMap((field) => field.arguments)) found.addBody(given, false);
  }
}

const isObject = (value: JsonValue | undefined): value is Record<string, JsonValue> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `items[0][price]` is `items.0.price`. */
export const formPath = (name: string): string[] => {
  const path = name
    .slice(0, 200)
    .split(/[[\].]+/)
    .filter((part) => part !== '');
  return path.length === 0 ? [name] : path;
};
