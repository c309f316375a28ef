import type { Action, HeldResponse } from '#contracts';
import type { Gateway, ProxyAnswer, ProxyBody } from './gateway.js';

/** Held and approved requests, each to its own target; the upstream of their gateway answers `{"done":true}`. */
export function heldRequests(gateway: () => Gateway) {
  let serial = 0;
  beforeEach(() => {
    const { upstream } = gateway();
    upstream.calls.length = 0;
    upstream.answer((_call, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"done":true}');
    });
  });

  const target = (path: string): string => `${gateway().upstream.url}/v1${path}`;
  const storedAction = (id: string): Promise<Action> => gateway().admin<Action>(`GET /approvals/${id}`);
  const hold = (fields: Partial<ProxyBody> = {}, headers: Record<string, string> = {}): Promise<HeldResponse> =>
    gateway().hold({ targetUrl: target(`/things/${++serial}`), ...fields }, headers);
  const approved = async (fields: Partial<ProxyBody> = {}, headers: Record<string, string> = {}): Promise<string> => {
    const { action_id } = await hold(fields, headers);
    await gateway().approve(action_id);
    return action_id;
  };
  return { target, storedAction, hold, approved };
}

export function expectError(answer: ProxyAnswer, status: number, error: unknown): void {
  expect(answer.json()).toEqual({ error, statusCode: status });
  expect(answer.status).toBe(status);
  expect(answer.headers.get('x-proxy-status')).toBeNull();
}
