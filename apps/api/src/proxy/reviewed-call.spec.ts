import { Payload } from '../egress/payload.js';
import type { RiskVerdict } from '../risk/risk-verdict.js';
import type { ServiceView } from '../service-view/service-view.js';
import type { ProxyCall } from './proxy-call.js';
import { ReviewedCall, toRiskRequest } from './reviewed-call.js';

it('computes the hashes of a call that a denial compares only once', () => {
  const body = Payload.ofText('a');
  const call = { method: 'POST', targetUrl: 'https://api.example.com/', body, intent: 'test' } as unknown as ProxyCall;
  const service = { id: 1, auth: null, rules: [], observed: [] } as unknown as ServiceView;
  const url = new URL(call.targetUrl);
  const reviewed = new ReviewedCall(null!, call, service, url, {}, toRiskRequest(call, {}), null);
  const { denialHashes } = reviewed.equality;
  expect(reviewed.wholeEqualRequest({ rule: null } as RiskVerdict).hashes).toBe(denialHashes);
});
