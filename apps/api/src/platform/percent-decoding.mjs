// @ts-check
/** The ways to decode percent-encoding. `libs/egress/src/path.ts` has that of the most lenient servers. */

/**
 * Decodes UTF-8, as the URL standard encodes it.
 * @param {string} text
 * @returns {string | null} null if an escape is malformed or its bytes are not UTF-8
 */
export function percentDecoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Decodes ASCII only. All other escapes stay as they are. @param {string} text */
export const asciiDecoded = (text) => text.replace(/%([0-7][\da-f])/gi, character);

/** Decodes each byte to the character of Latin-1. Malformed escapes stay as they are. @param {string} text */
export const latin1Decoded = (text) => text.replace(/%([\da-f]{2})/gi, character);

/** @param {string} _escape @param {string} hex */
const character = (_escape, hex) => String.fromCharCode(parseInt(hex, 16));
