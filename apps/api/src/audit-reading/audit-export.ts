import { finished } from 'node:stream/promises';
import type { Writable } from 'node:stream';
import type { AuditRecord, EXPORT_FORMATS } from '#contracts';

type Format = (typeof EXPORT_FORMATS)[number];

export const EXPORT_TYPES: Record<Format, string> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

type Field = string | number | null | undefined;

/** The record of a decision is about itself. The decision about a held request may come later. */
function decisionIn({ decision, kind, actionId, actor, at, reason, details }: AuditRecord) {
  if (kind !== 'change' || actionId === null) return decision;
  const note = typeof details?.note === 'string' ? details.note : null;
  return { state: reason?.replace(/^action\./, '') ?? null, by: actor, at, note };
}

/** Readers may know a column by its place, so new ones come last. */
const COLUMNS: [string, (record: AuditRecord) => Field][] = [
  ['id', (r) => r.id],
  ['at', (r) => r.at],
  ['kind', (r) => r.kind],
  ['outcome', (r) => r.outcome],
  ['request_id', (r) => r.requestId],
  ['agent_id', (r) => r.agent?.id],
  ['agent', (r) => r.agent?.name],
  ['service_id', (r) => r.service?.id],
  ['service', (r) => r.service?.name],
  ['actor_id', (r) => r.actor?.id],
  ['actor', (r) => r.actor?.name],
  ['method', (r) => r.method],
  ['url', (r) => r.url],
  ['intent', (r) => r.intent],
  ['summary', (r) => r.summary],
  ['risk_score', (r) => r.riskScore],
  ['risk_explanation', (r) => r.riskExplanation],
  ['reason', (r) => r.reason],
  ['details', (r) => (r.details === null ? null : JSON.stringify(r.details))],
  ['action_id', (r) => r.actionId],
  ['decision', (r) => decisionIn(r)?.state],
  ['decided_by', (r) => decisionIn(r)?.by?.name],
  ['decided_at', (r) => decisionIn(r)?.at],
  ['status', (r) => r.status],
  ['upstream_status', (r) => r.upstreamStatus],
  ['duration_ms', (r) => r.durationMs],
  ['response_bytes', (r) => r.responseBytes],
  ['error', (r) => r.error],
  ['observed', (r) => (r.observed === null ? null : JSON.stringify(r.observed))],
  ['headline', (r) => r.headline],
  ['note', (r) => decisionIn(r)?.note],
  ['undone_at', (r) => r.undoneAt],
];

/** Writes the batches no faster than the reader reads. */
export async function writeExport(
  batches: AsyncIterable<AuditRecord[]>,
  format: Format,
  output: Writable,
): Promise<void> {
  // Excel takes a file without the mark for one in the system's own encoding.
  if (format === 'csv') output.write(`\uFEFF${COLUMNS.map(([name]) => name).join(',')}\r\n`);
  const toLine = format === 'csv' ? toCsvLine : (record: AuditRecord) => `${JSON.stringify(record)}\n`;
  for await (const batch of batches) {
    if (output.destroyed) return;
    if (batch.length > 0 && !output.write(batch.map(toLine).join(''))) await drained(output);
  }
  output.end();
  await finished(output).catch(() => undefined);
}

function drained(output: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      output.off('drain', done);
      output.off('close', done);
      resolve();
    };
    output.on('drain', done);
    output.on('close', done);
  });
}

/**
 * RFC 4180, with an apostrophe before a text that a spreadsheet would take for a formula: the text came from an agent.
 */
function toCsvLine(record: AuditRecord): string {
  return `${COLUMNS.map(([, value]) => toCsvField(value(record))).join(',')}\r\n`;
}

function toCsvField(value: Field): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const inert = /^[=+\-@＝＋－＠\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
