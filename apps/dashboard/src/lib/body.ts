import { countNodes, readJson } from './json-tree.js';

/** A request or response body as sent: the bytes, and their text if they are text. */
interface Body {
  bytes: Uint8Array;
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

/** The lines for a virtual list. Lines longer than `width` are broken. No text is lost. */
export function textLines(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    if (line.length <= width) {
      lines.push(line);
      continue;
    }
    for (let at = 0; at < line.length;) {
      let end = Math.min(line.length, at + width);
      // Do not split a surrogate pair.
      if (end < line.length && /[\uD800-\uDBFF]/.test(line[end - 1]!)) end -= 1;
      lines.push(line.slice(at, end));
      at = end;
    }
  }
  return lines;
}

/** One row of a hex view: offset, bytes, and printable characters. */
export function hexRow(bytes: Uint8Array, row: number, perRow: number): string {
  const part = bytes.subarray(row * perRow, (row + 1) * perRow);
  const hex = Array.from(part, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const text = Array.from(part, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('');
  return `${(row * perRow).toString(16).padStart(6, '0')}  ${hex.padEnd(perRow * 3 - 1)}  ${text}`;
}
