/**
 * Finds the JSON of a verdict in a model's text: alone, in a code fence, after prose, or after the model's reasoning.
 */

const FENCE = '```';
const THOUGHTS_END = '</think>';
/**
 * Signs that the text before the JSON is not prose: another verdict, the start of a longer JSON text, or unfinished
 * reasoning.
 */
const NO_PROSE = /[{[]|```|<think>|(?!\s)\p{Cc}/u;

/** @returns the text that should be one JSON object; the whole content if there is nothing around it that can be removed */
export function verdictIn(content: string): string {
  const whole = content.trim();
  if (whole.startsWith('{')) return content;
  const thoughts = content.lastIndexOf(THOUGHTS_END);
  const text = thoughts === -1 ? whole : content.slice(thoughts + THOUGHTS_END.length).trim();
  const start = text.indexOf('{');
  if (start === -1) return content;
  const fence = text.indexOf(FENCE);
  const fenced = fence !== -1 && fence < start;
  const [before, json] = fenced
    ? [text.slice(0, fence), withoutFence(text.slice(fence))]
    : [text.slice(0, start), text.slice(start)];
  return json !== null && isProse(before, json) ? json : content;
}

/** The fence must be closed, and nothing may follow it. */
function withoutFence(text: string): string | null {
  if (text.length < 2 * FENCE.length || !text.endsWith(FENCE)) return null;
  const inside = text.slice(FENCE.length, -FENCE.length);
  return inside.replace(/^[a-z]*/i, '').trim();
}

/** Whether the text before the JSON is prose without a different score. */
function isProse(before: string, json: string): boolean {
  if (before.trim() === '') return true;
  if (NO_PROSE.test(before) || !/[\p{L}\p{N}]/u.test(before)) return false;
  const score = /"score"\s*:\s*"?([\d.]+)/.exec(json)?.[1];
  const others = before.matchAll(/score\D{0,20}(\d+(?:\.\d+)?)/gi);
  return Array.from(others).every(([, other]) => Number(other) === Number(score));
}
