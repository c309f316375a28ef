/**
 * Invisible characters (control, format, tags, variation selectors), and characters that start the tokens with which
 * some servers separate messages (`<|im_start|>`, `</s>`, `[INST]`, `[/TOOL_RESULTS]`, `[gMASK]`).
 */
const ESCAPED = /(?!\n)[\p{C}\p{Zl}\p{Zp}\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|<|\[(?=\/?[gs]?[A-Z_]{1,40}\])/gu;

/** Text without these characters needs no look at each of its characters. */
const MAY_BE_ESCAPED = /[^\n -~]|<|\[\/?[gs]?[A-Z_]{1,40}\]/;

/** Whether the text is ASCII, and JSON for a prompt escapes the same characters of it as any JSON does. */
export const isOrdinary = (text: string): boolean => !MAY_BE_ESCAPED.test(text);

/** JSON for a prompt. It is ordinary JSON with more escapes. */
export function json(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  return isOrdinary(text) ? text : text.replace(ESCAPED, escape);
}

function escape(character: string): string {
  let escaped = '';
  for (let unit = 0; unit < character.length; unit += 1) {
    escaped += `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}
