/** The rows of a file as in RFC 4180. @throws when the last line is incomplete */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const field = /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r\n)/gy;
  for (let match; field.lastIndex < text.length && (match = field.exec(text));) {
    row.push(match[1].startsWith('"') ? match[1].slice(1, -1).replaceAll('""', '"') : match[1]);
    if (match[2] === ',') continue;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) throw new Error('the last line is incomplete');
  return rows;
}
