/** Masks secrets in texts for the model and for explanations. */
import { AGENT_KEY_PREFIX, CREDENTIAL_MASK } from '#contracts/headers';

export type Mask = (text: string) => string;

/** Headers and query parameters with such names hold secrets. */
const SECRET_NAME = /auth(?!ors?\b|or[_-])|token|key(?!words?\b)|secret|cookie|passw|session|credential|signature/i;
/** The longest secret that is still masked completely if it crosses an edge of `maskedEnds`. */
export const SECRET_MAX = 4096;
/**
 * Agent keys and JSON Web Tokens anywhere in a text. The lookbehind keeps the search linear, and the upper bounds keep
 * its stack small.
 */
const TOKENS = new RegExp(
  `${AGENT_KEY_PREFIX}[0-9a-f]{64}|(?<![\\w-])eyJ[\\w-]{10,65536}\\.[\\w-]{10,65536}\\.[\\w-]{10,65536}`,
  'g',
);

/** Most texts have none, and this is quickly seen. */
export const maskTokens: Mask = (text) =>
  text.includes(AGENT_KEY_PREFIX) || text.includes('eyJ') ? text.replace(TOKENS, CREDENTIAL_MASK) : text;

/** Most values have no blank, and are not searched. */
const maskHeaderValue: Mask = (value) => {
  const masked = maskTokens(value);
  return masked.includes(' ')
    ? masked.replace(/\b(Bearer|Basic|Digest|Token) +\S+/gi, `$1 ${CREDENTIAL_MASK}`)
    : masked;
};

export const maskHeader = (name: string): Mask => (SECRET_NAME.test(name) ? () => CREDENTIAL_MASK : maskHeaderValue);

export const maskQuery: Mask = (url) => {
  const masked = maskTokens(url);
  if (!masked.includes('=')) return masked;
  return masked.replace(/([?&])([^=&?#]*)=([^&#]*)/g, (parameter: string, separator: string, name: string) =>
    SECRET_NAME.test(name) ? `${separator}${name}=${CREDENTIAL_MASK}` : parameter,
  );
};

/**
 * The start and the end of a long text, masked. Only the text around them is masked, because bodies can have 64 MB. A
 * secret that an edge cuts is not recognised, so what stands that near to an edge is left out.
 */
export function maskedEnds(text: string, headMax: number, tailMax: number, mask: Mask): [head: string, tail: string] {
  const head = masked((length) => text.slice(0, length), headMax, mask).slice(0, -SECRET_MAX);
  const tail = masked((length) => text.slice(-length), tailMax, mask).slice(SECRET_MAX);
  return [head.slice(0, headMax), tailMax === 0 ? '' : tail.slice(-tailMax)];
}

/** Masks make a text shorter, so it takes a longer part if needed. */
function masked(cut: (length: number) => string, max: number, mask: Mask): string {
  const first = max + SECRET_MAX;
  for (let length = first; ; length *= 2) {
    const shown = mask(cut(length));
    if (shown.length >= first || length > 4 * first) return shown;
  }
}
