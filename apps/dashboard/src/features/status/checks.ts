import type { GatewayStatus, PartName } from '#contracts';
import { elapsed } from '../../lib/format.js';
import { modelFails } from '../../lib/queries.js';
import { messages } from './messages.js';

interface Check {
  key: 'database' | 'schema' | 'model' | 'live' | 'queues' | 'encryption' | 'rotation' | 'clock';
  state: 'ok' | 'look' | 'idle';
  text: string;
  /** When the trouble began, as far as this process has seen it. */
  since?: string;
  /** The page that shows more. */
  to?: string;
}

/** With a larger difference, approvals would expire visibly earlier or later than shown. */
const SKEW_MAX_MS = 2000;
/** Users would notice a slower database round trip on every page. */
const SLOW_DATABASE_MS = 250;

const PARTS: Partial<Record<Check['key'], PartName>> = {
  database: 'database',
  schema: 'schema',
  model: 'model',
  live: 'events',
  queues: 'queues',
  clock: 'clock',
};

/** The state of each part of the gateway, in words. */
export function toChecks(status: GatewayStatus): Check[] {
  const parts = new Map(status.parts.map((part) => [part.name, part]));
  const ofPart = (key: 'schema' | 'queues'): Check[] => {
    const part = parts.get(key);
    return part === undefined ? [] : [{ key, state: part.ok ? 'ok' : 'look', text: part.message }];
  };
  return allChecks(status, ofPart).map((check) => {
    const part = parts.get(PARTS[check.key]!);
    return check.state === 'look' && part?.ok === false ? { ...check, since: part.since } : check;
  });
}

function allChecks(status: GatewayStatus, ofPart: (key: 'schema' | 'queues') => Check[]): Check[] {
  const { database, model, credentialRotation: rotation } = status;
  const { words } = messages;
  return [
    {
      key: 'database',
      state: database.latencyMs < SLOW_DATABASE_MS ? 'ok' : 'look',
      text: words.database(elapsed(database.latencyMs), database.version),
    },
    ...ofPart('schema'),
    model.calls === 0
      ? { key: 'model', state: 'idle', text: words.modelNever }
      : modelFails(status)
        ? { key: 'model', state: 'look', text: words.modelFailed(model.lastFailure ?? '') }
        : { key: 'model', state: 'ok', text: words.modelGood },
    {
      key: 'live',
      state: status.liveUpdates ? 'ok' : 'look',
      text: status.liveUpdates ? words.liveGood : words.liveBad,
    },
    ...ofPart('queues'),
    {
      key: 'encryption',
      state: status.encryptionOk ? 'ok' : 'look',
      text: status.encryptionOk ? words.encryptionGood : words.encryptionBad,
    },
    {
      key: 'rotation',
      state: rotation.overdue === 0 ? 'ok' : 'look',
      text: words.rotation(rotation.overdue, rotation.due),
      ...(rotation.overdue + rotation.due > 0 && { to: '/services?due=1' }),
    },
    Math.abs(database.clockSkewMs) < SKEW_MAX_MS
      ? { key: 'clock', state: 'ok', text: words.clockGood(database.clockSkewMs) }
      : { key: 'clock', state: 'look', text: words.clockBad(database.clockSkewMs) },
  ];
}
