import type { GatewayStatus } from '#contracts';
import { checksOf } from './checks.js';

const GOOD = {
  database: { latencyMs: 1.2, version: '18.4', migration: 'm', clockSkewMs: -3 },
  model: { calls: 5, lastSuccessAt: '2026-05-01T00:00:00Z', lastFailureAt: null, lastFailure: null },
  liveUpdates: true,
  encryptionOk: true,
} as unknown as GatewayStatus;
const troubles = (change: Partial<GatewayStatus>) =>
  checksOf({ ...GOOD, ...change })
    .filter(({ state }) => state !== 'ok')
    .map(({ key, state }) => `${key} ${state}`);

describe('checksOf', () => {
  it('has nothing to say of a gateway that works', () => expect(troubles({})).toEqual([]));

  it('names each trouble', () => {
    expect(troubles({ liveUpdates: false, encryptionOk: false })).toEqual(['live look', 'encryption look']);
    expect(troubles({ database: { ...GOOD.database, latencyMs: 400, clockSkewMs: 9000 } })).toEqual([
      'database look',
      'clock look',
    ]);
  });

  it('tells a model that failed last from one that recovered and one that was never asked', () => {
    const failed = { ...GOOD.model, lastFailureAt: '2026-05-01T00:00:01Z', lastFailure: 'timeout' };
    expect(troubles({ model: failed })).toEqual(['model look']);
    expect(troubles({ model: { ...failed, lastSuccessAt: '2026-05-01T00:00:02Z' } })).toEqual([]);
    expect(troubles({ model: { ...GOOD.model, calls: 0, lastSuccessAt: null } })).toEqual(['model idle']);
  });
});
