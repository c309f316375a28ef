import type { AuthSettings } from '#contracts';
import { REDACTED } from '../../egress/spans.js';
import { asciiDecoded, percentDecoded } from '../../platform/percent-decoding.mjs';

const NONE: readonly string[] = [];

/** The query parameters that a service injects. */
export const injectedParameters = (auth: AuthSettings | null): readonly string[] =>
  auth?.query === undefined ? NONE : Object.keys(auth.query);

/**
 * The target as records, approvers and the model see it: without the agent's own parameters of these names, and with a
 * mark in place of what the gateway injects (docs/reference/egress.md#injected-query).
 */
export function shownTarget(targetUrl: string, names: readonly string[]): string {
  if (names.length === 0) return targetUrl;
  const [, url, fragment] = /^([^#]*)(.*)$/su.exec(targetUrl)!;
  const shown = names.map((name) => `${encodeURIComponent(name)}=${REDACTED}`);
  return withParameters(url, names, shown) + fragment;
}

/** The URL with the parameters, in place of any of these names. */
export function withQuery(url: URL, query: Readonly<Record<string, string>>): URL {
  const names = Object.keys(query);
  if (names.length === 0) return url;
  const given = names.map((name) => `${encodeURIComponent(name)}=${encodeURIComponent(query[name])}`);
  const sent = new URL(url);
  sent.hash = '';
  return new URL(withParameters(sent.href, names, given));
}

/** Keeps all other parameters as they are written, because some APIs sign them. */
function withParameters(url: string, names: readonly string[], added: readonly string[]): string {
  const at = url.indexOf('?');
  const query = at < 0 ? '' : url.slice(at + 1);
  const dropped = new Set(names.map((name) => name.toLowerCase()));
  const isDropped = (name: string): boolean => dropped.has(name) || dropped.has(name.replace(/\[.*$/su, ''));
  const kept = query.split('&').filter((parameter) => parameter !== '' && !isDropped(parameterName(parameter)));
  return `${at < 0 ? url : url.slice(0, at)}?${[...kept, ...added].join('&')}`;
}

/** In lower case, because some servers ignore the case. They also read `key[]` as `key`. */
function parameterName(parameter: string): string {
  const name = /^[^=]*/u.exec(parameter)![0].replaceAll('+', ' ');
  return (percentDecoded(name) ?? asciiDecoded(name)).toLowerCase();
}
