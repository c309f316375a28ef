import { countNodes, readJson } from './json-tree.js';

/** A request or response body as sent: the bytes, and their text if they are text. */
interface Body {
  bytes: Uint8Array<ArrayBuffer>;
  /** null if the bytes are not valid UTF-8. */
  text: string | null;
}

export function readBody(body: string, encoding: 'base64' | undefined): Body {
  if (encoding !== 'base64') return { bytes: new TextEncoder().encode(body), text: body };
  const binary = atob(body);
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  try {
    return { bytes, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { bytes, text: null };
  }
}

const SHORT_BYTES = 400;
const SHORT_LINES = 8;

/** Whether a body is short enough to show among the main facts. */
export function isShort(body: string, encoding: 'base64' | undefined): boolean {
  const { bytes, text } = readBody(body, encoding);
  if (text === null || bytes.length > SHORT_BYTES) return false;
  const json = readJson(text);
  return (json ? countNodes(json) : text.split('\n').length) <= SHORT_LINES;
}

export interface TextBlock {
  text: string;
  /** Where it is in the text, with the line breaks behind it. */
  from: number;
  to: number;
}

/** A text in blocks of at most so many lines and characters. Longer lines are broken. No text is lost. */
export function textBlocks(text: string, linesMax = 10, charactersMax = 500): TextBlock[] {
  const blocks: TextBlock[] = [];
  for (let from = 0; from < text.length || blocks.length === 0;) {
    const { end, to } = blockEnd(text, from, linesMax, charactersMax);
    blocks.push({ text: text.slice(from, end), from, to });
    from = to;
  }
  return blocks;
}

function blockEnd(text: string, from: number, linesMax: number, charactersMax: number): { end: number; to: number } {
  let end = from;
  for (let lines = 0; lines < linesMax; lines++) {
    const found = text.indexOf('\n', lines === 0 ? from : end + 1);
    const lineEnd = found === -1 ? text.length : found;
    if (lineEnd - from > charactersMax) return lines === 0 ? splitAt(text, from + charactersMax) : { end, to: end + 1 };
    end = lineEnd;
    if (found === -1) return { end, to: end };
  }
  return { end, to: end + 1 };
}

/** Does not split a surrogate pair. */
function splitAt(text: string, at: number): { end: number; to: number } {
  const end = /[\uD800-\uDBFF]/.test(text[at - 1]!) ? at - 1 : at;
  return { end, to: end };
}

/** One row of a hex view: offset, bytes, and printable characters. */
export function hexRow(bytes: Uint8Array, row: number, perRow: number): string {
  const part = bytes.subarray(row * perRow, (row + 1) * perRow);
  const hex = Array.from(part, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const text = Array.from(part, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('');
  return `${(row * perRow).toString(16).padStart(6, '0')}  ${hex.padEnd(perRow * 3 - 1)}  ${text}`;
}
