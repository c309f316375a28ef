import type { GatewayStatus } from '#contracts';
import { toChecks } from './checks.js';

const GOOD = {
  database: { latencyMs: 1.2, version: '18.4', migration: 'm', clockSkewMs: -3 },
  model: { calls: 5, lastSuccessAt: '2026-05-01T00:00:00Z', lastFailureAt: null, lastFailure: null },
  liveUpdates: true,
  parts: [],
  encryptionOk: true,
  credentialRotation: { due: 0, overdue: 0 },
} as unknown as GatewayStatus;
const troubles = (change: Partial<GatewayStatus>) =>
  toChecks({ ...GOOD, ...change })
    .filter(({ state }) => state !== 'ok')
    .map(({ key, state }) => `${key} ${state}`);

describe('toChecks', () => {
  it('reports no trouble for a working gateway', () => expect(troubles({})).toEqual([]));

  it('reports each trouble', () => {
    expect(troubles({ liveUpdates: false, encryptionOk: false })).toEqual(['live look', 'encryption look']);
    expect(troubles({ database: { ...GOOD.database, latencyMs: 400, clockSkewMs: 9000 } })).toEqual([
      'database look',
      'clock look',
    ]);
  });

  it('says since when a part fails, and what waits in queues', () => {
    const part = { name: 'queues', ok: false, since: '2026-05-01T00:00:00Z', message: 'mails: 3 wait' } as const;
    const events = { name: 'events', ok: false, since: '2026-05-01T01:00:00Z', message: '' } as const;
    const checks = toChecks({ ...GOOD, liveUpdates: false, parts: [part, events] }).filter(
      ({ state }) => state !== 'ok',
    );
    expect(checks).toMatchObject([
      { key: 'live', since: events.since },
      { key: 'queues', text: 'mails: 3 wait', since: part.since },
    ]);
    expect(toChecks({ ...GOOD, parts: [{ ...part, ok: true }] }).some(({ since }) => since !== undefined)).toBe(false);
  });

  it('reports overdue credentials, and only mentions those that are due', () => {
    expect(troubles({ credentialRotation: { due: 1, overdue: 0 } })).toEqual([]);
    expect(troubles({ credentialRotation: { due: 0, overdue: 2 } })).toEqual(['rotation look']);
    const rotation = toChecks({ ...GOOD, credentialRotation: { due: 1, overdue: 2 } }).find(
      ({ key }) => key === 'rotation',
    );
    expect(rotation).toMatchObject({
      to: '/services?due=1',
      text: 'Rotation overdue for 2 services; due within 7 days for 1 service',
    });
  });

  it('distinguishes a model that is failing from one that recovered or was never called', () => {
    const failed = { ...GOOD.model, lastFailureAt: '2026-05-01T00:00:01Z', lastFailure: 'timeout' };
    expect(troubles({ model: failed })).toEqual(['model look']);
    expect(troubles({ model: { ...failed, lastSuccessAt: '2026-05-01T00:00:02Z' } })).toEqual([]);
    expect(troubles({ model: { ...GOOD.model, calls: 0, lastSuccessAt: null } })).toEqual(['model idle']);
  });
});
