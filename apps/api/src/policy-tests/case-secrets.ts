import { REDACTED } from '../egress/spans.js';
import { asciiDecoded } from '../platform/percent-decoding.mjs';
import { isSecretField, isSecretParameter } from '../request-reading/secret-names.js';

/**
 * What is recorded has no credentials of the service. But an agent may send a secret of its own, and a case ends up in a
 * repository. So values whose name says that they are secret are left out.
 */

/** `max_tokens` is a number that rules read. */
const COUNT = /tokens$/i;
const NUMBER = /^-?\d/;

export const withoutSecretHeaders = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecretParameter(name) ? REDACTED : value]),
  );

export function withoutSecretParameters(url: string): string {
  const start = url.indexOf('?') + 1;
  return start === 0 ? url : url.slice(0, start) + withoutFields(url.slice(start));
}

/** A body that begins like JSON is read as JSON, also one that is not valid or has several values. Others as a form. */
export const withoutSecretFields = (body: string): string =>
  /^\s*[[{"]/.test(body) ? withoutMembers(body) : withoutFields(body);

const withoutFields = (text: string): string =>
  text.replace(/((?:^|[&?])([^=&?#]*)=)[^&#]*/g, (field: string, start: string, name: string) =>
    isSecretParameter(asciiDecoded(name)) ? start + REDACTED : field,
  );

const JSON_TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/gs;

/** Keeps the rest of the text as it is: a number may be longer than what JavaScript can hold, and a key there twice. */
function withoutMembers(text: string): string {
  const tokens = [...text.matchAll(JSON_TOKEN)];
  let result = '';
  let kept = 0;
  for (let at = 0; at < tokens.length; at++) {
    const [token] = tokens[at];
    if (/^[{}[\],:]/.test(token)) continue;
    const isName = tokens.at(at + 1)?.[0] === ':' && at + 2 < tokens.length;
    if (!isName) {
      if (!token.startsWith('"')) continue;
      // It may be a URL or a form.
      const value = withoutFields(token.slice(1, -1));
      if (value === token.slice(1, -1)) continue;
      result += text.slice(kept, tokens[at].index) + `"${value}"`;
      kept = tokens[at].index + token.length;
      continue;
    }
    const name = unquoted(token);
    const first = tokens[at + 2];
    at += 1;
    if (!isSecretField(name) || (COUNT.test(name) && NUMBER.test(first[0]))) continue;
    at = endOfValue(tokens, at + 1);
    result += `${text.slice(kept, first.index)}"${REDACTED}"`;
    kept = tokens[at].index + tokens[at][0].length;
  }
  return result + text.slice(kept);
}

/** @returns the index of the last token of the value that begins there */
function endOfValue(tokens: readonly RegExpExecArray[], start: number): number {
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    const [token] = tokens[at];
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (depth <= 0) return at;
  }
  return tokens.length - 1;
}

function unquoted(token: string): string {
  try {
    return JSON.parse(token) as string;
  } catch {
    return token;
  }
}
