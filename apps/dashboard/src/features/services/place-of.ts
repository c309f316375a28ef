/** The place that a problem of a condition names (`line 1, column 14: …`), as an index in the text. */
export function placeOf(problem: string, text: string): number | null {
  const [, line, column] = /^line (\d+), column (\d+)/.exec(problem) ?? [];
  if (line === undefined) return null;
  const before = text.split('\n').slice(0, Number(line) - 1);
  return Math.min(text.length, before.reduce((sum, each) => sum + each.length + 1, 0) + Number(column) - 1);
}
