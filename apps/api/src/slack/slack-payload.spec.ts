import fc from 'fast-check';
import { ApiError } from '../platform/errors.js';
import { parseSlackInteraction } from './slack-payload.js';

const read = (payload: unknown) =>
  parseSlackInteraction(Buffer.from(new URLSearchParams({ payload: JSON.stringify(payload) }).toString()));

it('reads a body of any bytes or any JSON, or refuses it with 400', () => {
  const types = fc.constantFrom('block_actions', 'view_submission', 'x');
  const payloads = fc.record(
    { type: types, user: fc.json(), actions: fc.json(), view: fc.json() },
    { requiredKeys: [] },
  );
  const bodies = fc.oneof(
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    payloads.map((payload) => Buffer.from(`payload=${encodeURIComponent(JSON.stringify(payload))}`)),
    fc.json().map((text) => Buffer.from(`payload=${encodeURIComponent(text)}`)),
  );
  fc.assert(
    fc.property(bodies, (body) => {
      try {
        expect(parseSlackInteraction(body).kind).toMatch(/^(pressed|submitted|other)$/);
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
        expect((error as ApiError).statusCode).toBe(400);
      }
    }),
  );
});

it('names every Slack workspace that the request names', () => {
  const payload = {
    type: 'block_actions',
    user: { id: 'U1', name: 'ana', team_id: 'T1' },
    team: { id: 'T2' },
    trigger_id: 't',
    channel: { id: 'C1' },
    actions: [{ action_id: 'agw_deny', value: 'a' }],
  };
  expect(read(payload)).toMatchObject({ kind: 'pressed', person: { id: 'U1', name: 'ana', teamIds: ['T1', 'T2'] } });
  expect(read({ ...payload, team: null })).toMatchObject({ person: { teamIds: ['T1'] } });
  expect(read({ ...payload, user: { id: 'U1' }, team: null })).toMatchObject({ person: { name: 'U1', teamIds: [] } });
});
