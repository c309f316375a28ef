import { Injectable } from '@nestjs/common';
import type { Part, PartName } from '#contracts';
import { EventHub } from '../events/event-hub.js';
import { MetricsPage } from '../observability/metrics-page.js';
import type { DatabaseReading } from '../observability/metrics.js';
import { Clock } from '../platform/clock.js';
import { ModelHealth } from '../risk/model-health.js';
import { DatabaseGauges } from './database-gauges.js';
import { SchemaCheck } from './schema-check.js';

/** What is due this long was not only between two attempts. */
const QUEUE_LATE_SECONDS = 300;
/** With a larger difference, people see that approvals expire too early or too late. */
const CLOCK_OFFSET_MAX_SECONDS = 2;
const UNKNOWN = 'Not known while the database does not answer';

type Found = Pick<Part, 'ok' | 'message'>;

/** What the gateway consists of, and whether each part works, for operators (docs/reference/http.md#parts). */
@Injectable()
export class Parts {
  /** Since when each part is as it is, as far as this process has seen it. */
  private readonly states = new Map<PartName, { ok: boolean; since: string }>();

  constructor(
    private readonly schema: SchemaCheck,
    private readonly gauges: DatabaseGauges,
    private readonly page: MetricsPage,
    private readonly hub: EventHub,
    private readonly model: ModelHealth,
    private readonly clock: Clock,
  ) {}

  async read(): Promise<Part[]> {
    const [fault] = await Promise.all([this.schema.fault(), this.page.refresh()]);
    const found: [PartName, Found][] = [
      ['database', databaseFound(fault?.part !== 'database')],
      ['schema', fault?.part === 'database' ? { ok: false, message: UNKNOWN } : schemaFound(fault === null)],
      ['events', eventsFound(this.hub.connected)],
      ['model', this.modelFound()],
      ['queues', queuesFound(this.gauges.latest)],
      ['clock', clockFound(this.gauges.latest)],
    ];
    return found.map(([name, { ok, message }]) => ({ name, ok, since: this.since(name, ok), message }));
  }

  private since(name: PartName, ok: boolean): string {
    const known = this.states.get(name);
    if (known?.ok === ok) return known.since;
    const since = this.clock.now().toISOString();
    this.states.set(name, { ok, since });
    return since;
  }

  private modelFound(): Found {
    const { calls, lastSuccessAt, lastFailureAt, lastFailure } = this.model.status();
    if (calls === 0) return { ok: true, message: 'Not called since the start' };
    const fails = lastFailureAt !== null && (lastSuccessAt === null || lastFailureAt > lastSuccessAt);
    return fails
      ? { ok: false, message: `The last call failed: ${lastFailure ?? 'no reason is known'}` }
      : { ok: true, message: 'The last call succeeded' };
  }
}

const databaseFound = (ok: boolean): Found => ({
  ok,
  message: ok ? 'It answers' : 'It does not answer: nothing is forwarded until it does',
});

const schemaFound = (ok: boolean): Found => ({
  ok,
  message: ok
    ? 'It is that of this release, or of a later one'
    : 'It is older than this release: start an instance with DATABASE_MIGRATE=true',
});

const eventsFound = (ok: boolean): Found => ({
  ok,
  message: ok
    ? 'This process receives the changes of other processes'
    : 'This process does not receive the changes of other processes. It connects again by itself',
});

function queuesFound(reading: DatabaseReading | null): Found {
  if (reading === null) return { ok: false, message: UNKNOWN };
  const late = Object.entries(reading.queues).filter(([, { oldestSeconds }]) => oldestSeconds > QUEUE_LATE_SECONDS);
  if (late.length === 0) return { ok: true, message: 'Nothing waits too long' };
  const words = late.map(
    ([queue, { depth, oldestSeconds }]) =>
      `${queue}: ${depth} wait, the oldest has been due for ${Math.round(oldestSeconds / 60)} minutes`,
  );
  return { ok: false, message: words.join('; ') };
}

function clockFound(reading: DatabaseReading | null): Found {
  if (reading === null) return { ok: false, message: UNKNOWN };
  const seconds = reading.clockOffsetSeconds;
  const differ = `The clocks of this process and of the database differ by ${Math.abs(seconds).toFixed(1)} seconds`;
  return { ok: Math.abs(seconds) < CLOCK_OFFSET_MAX_SECONDS, message: differ };
}
