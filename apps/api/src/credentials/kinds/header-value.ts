import { HOP_BY_HOP, isValidHeaderName, isValidHeaderValue } from '#egress';

/** Headers that describe how a message is framed or encoded. As a credential they would break the request. */
const FRAMING = new Set(['host', 'content-length', 'expect', 'accept-encoding', 'content-encoding', 'content-type']);

/** Headers by which some servers take another method, path or host than the one that was judged. */
const OVERRIDES =
  /^x-(?:(?:http-)?method(?:-override)?|original-(?:method|url|uri|host)|rewrite-url|(?:http-)?host(?:-override)?)$/;

/** Why a header can't carry a credential, or null. */
export function headerNameFault(name: string): string | null {
  if (!isValidHeaderName(name)) return 'name must be a valid header name';
  const lower = name.toLowerCase();
  const isOverride = OVERRIDES.test(lower.replace(/[^a-z0-9]/g, '-'));
  return isOverride || HOP_BY_HOP.has(lower) || FRAMING.has(lower) ? 'this header cannot carry a credential' : null;
}

/** Why a credential can't be sent in a header, or null. */
export function headerValueFault(_name: string, value: string): string | null {
  if (value.trim() !== value || value === '') return 'must not be empty, nor begin or end with a space';
  return isValidHeaderValue(value) ? null : 'must not contain characters that a header cannot carry';
}
