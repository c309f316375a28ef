import type { Action } from '#contracts';
import {
  ApprovalDenied,
  ApprovalExpired,
  ApprovalPending,
  GatewayError,
  resumeAction,
  revisionOf,
  type GatewayOptions,
  type HeldAction,
  type Revision,
} from '../../../libs/client/src/index.js';
import { caught, ClientGateway, losing, observed } from './support/client-gateway.js';
import { eventually } from './support/eventually.js';

const world = new ClientGateway();

describe('a held request', () => {
  it('reports the hold, waits, and is executed once, in three calls', async () => {
    const { fetch, routes } = observed();
    const url = world.heldTarget();
    const told: HeldAction[] = [];
    const onHeld = async (held: HeldAction) => {
      told.push(held);
      expect(world.gateway.upstream.calls).toHaveLength(0);
      void world.gateway.approve(held.actionId);
    };
    const answer = await world.client({ fetch, onHeld })(url, { method: 'DELETE' });
    expect(await answer.json()).toMatchObject({ method: 'DELETE' });
    expect(answer.headers.get('x-proxy-status')).toBe('executed-approved');
    expect(answer.url).toBe(url);
    const [{ actionId }] = told;
    expect(told).toMatchObject([
      {
        summary: `DELETE ${url}`,
        intent: 'Look after customers',
        dashboardUrl: `${world.gateway.url}/dashboard/approvals/${actionId}`,
        riskExplanation: 'Risk rule "Ask" requires approval',
      },
    ]);
    expect(routes).toEqual(['POST /proxy', 'GET /status/:id', 'POST /proxy/execute/:id']);
    expect(world.gateway.upstream.calls).toHaveLength(1);
  });

  it('costs one call when it has a key and the caller gives no onHeld', async () => {
    const { fetch, routes } = observed();
    const url = world.heldTarget();
    const answer = world.client({ fetch })(url, { method: 'POST', body: '{}' });
    await world.gateway.approve((await world.actionOn(url)).action_id);
    expect((await answer).status).toBe(200);
    expect(routes).toEqual(['POST /proxy']);
    expect(world.gateway.upstream.calls).toHaveLength(1);
  });

  it('that is denied: ApprovalDenied with the note, without a second request', async () => {
    const { fetch, routes } = observed();
    const onHeld = ({ actionId }: HeldAction) => void world.gateway.deny(actionId, 'Ask the customer first');
    const error = await caught(world.client({ fetch, onHeld })(world.heldTarget(), { method: 'POST', body: '{}' }));
    expect(error).toBeInstanceOf(ApprovalDenied);
    expect(error).toMatchObject({ name: 'ApprovalDenied', code: 'approval_denied', note: 'Ask the customer first' });
    expect(routes.filter((route) => route === 'POST /proxy')).toHaveLength(1);

    const url = world.heldTarget();
    const waiting = caught(world.client()(url, { method: 'POST', body: '{}' }));
    await world.gateway.deny((await world.actionOn(url)).action_id);
    expect(await waiting).toMatchObject({ name: 'ApprovalDenied', note: null });
    expect(world.gateway.upstream.calls).toHaveLength(0);
  });

  describe('that a person revises', () => {
    /** Revises the action of a target. @returns the revision */
    const revise = async (url: string): Promise<Action> =>
      world.gateway.admin<Action>(`POST /approvals/${(await world.actionOn(url)).action_id}/revise`, {
        targetUrl: `${url}-changed`,
        body: '{"amount":500}',
      });

    it.each<[string, Partial<GatewayOptions>, string]>([
      ['in one long call', {}, 'POST'],
      ['after a hold', { onHeld: () => undefined }, 'POST'],
      ['without a key', {}, 'DELETE'],
    ])('is executed as revised, after the caller was called back: %s', async (_how, options, method) => {
      const url = world.heldTarget();
      const told: Revision[] = [];
      const onRevised = (revision: Revision): void => {
        expect(world.gateway.upstream.calls).toHaveLength(0);
        told.push(revision);
      };
      const waiting = world.client({ ...options, onRevised })(url, { method, body: '{"amount":50000}' });
      const asked = await world.actionOn(url);
      const revision = await revise(url);
      const answer = await waiting;
      expect(await answer.json()).toMatchObject({ body: '{"amount":500}' });
      expect(answer.url).toBe(`${url}-changed`);
      expect(told).toMatchObject([
        {
          actionId: revision.action_id,
          revises: asked.action_id,
          request: { method, url: `${url}-changed`, body: '{"amount":500}' },
        },
      ]);
      expect(revisionOf(answer)).toBe(told[0]);
      expect(world.gateway.upstream.calls).toHaveLength(1);

      // The first action still leads to the answer.
      const again = await resumeAction(world.settings({ onRevised: () => undefined }), asked.action_id);
      expect(await again.json()).toMatchObject({ body: '{"amount":500}' });
      expect(revisionOf(again)).toEqual({ actionId: revision.action_id, revises: asked.action_id, request: null });
      expect(world.gateway.upstream.calls).toHaveLength(1);
    });

    it('is not executed when the caller rejects', async () => {
      const url = world.heldTarget();
      const onRevised = () => Promise.reject(new Error('not what I asked for'));
      const waiting = caught(world.client({ onRevised })(url, { method: 'POST', body: '{}' }));
      const { action_id } = await revise(url);
      expect((await waiting).message).toBe('not what I asked for');
      expect(await world.storedAction(action_id)).toMatchObject({ status: 'APPROVED' });
      expect(world.gateway.upstream.calls).toHaveLength(0);
    });

    it('is reported on the console if there is no listener', async () => {
      const warn = jest.spyOn(console, 'warn').mockImplementation();
      const url = world.heldTarget();
      const waiting = world.client()(url, { method: 'POST', body: '{}' });
      const { revises } = await revise(url);
      await waiting;
      const text = `Agent Gateway: a person changed the request of action ${revises}, and POST ${url}-changed is executed in its place.`;
      expect(warn.mock.calls).toEqual([[text]]);
      warn.mockRestore();
    });

    it('can be denied, expire and be waited for, like any other request', async () => {
      const rule = await world.gateway.admin<{ id: number }>(`POST /services/${world.gateway.service.id}/risk-rules`, {
        name: 'Two',
        effect: 'require_approval',
        approvals: 2,
        pathPattern: '/held/two-changed',
      });
      const url = world.target('/held/two');
      const held: HeldAction[] = [];
      const onHeld = (action: HeldAction) => void held.push(action);
      const pending = caught(world.client({ onHeld, waitSeconds: 3 })(url, { method: 'DELETE' }));
      const revision = await revise(url);
      expect(await pending).toMatchObject({ name: 'ApprovalPending', actionId: revision.action_id });
      const waiting = caught(resumeAction(world.settings(), held[0].actionId));
      await world.gateway.deny(revision.action_id, 'No');
      expect(await waiting).toMatchObject({ name: 'ApprovalDenied', actionId: revision.action_id, note: 'No' });
      await world.gateway.admin(`DELETE /services/${world.gateway.service.id}/risk-rules/${rule.id}`);
      expect(world.gateway.upstream.calls).toHaveLength(0);
    });
  });

  it('stops with the signal; the request stays in the queue and can be resumed', async () => {
    const abort = new AbortController();
    const url = world.heldTarget();
    const held = caught(world.client({ onHeld: () => undefined })(url, { method: 'DELETE', signal: abort.signal }));
    const { action_id } = await world.actionOn(url);
    await eventually(async () => (await world.storedAction(action_id)).last_polled_at);
    abort.abort();
    expect(await held).toMatchObject({ name: 'AbortError' });
    expect(await world.storedAction(action_id)).toMatchObject({ status: 'PENDING' });

    const resumed = resumeAction(world.settings(), action_id);
    await world.gateway.approve(action_id);
    expect((await resumed).status).toBe(200);
    expect(world.gateway.upstream.calls).toHaveLength(1);
    expect((await resumeAction(world.settings(), action_id)).status).toBe(200);
    expect(world.gateway.upstream.calls).toHaveLength(1);
  });

  it('stops with the signal during one long call too, and before anything is sent', async () => {
    const abort = new AbortController();
    const url = world.heldTarget();
    const held = caught(world.client()(url, { method: 'POST', body: '{}', signal: abort.signal }));
    const { action_id } = await world.actionOn(url);
    abort.abort(new Error('enough'));
    expect(await held).toMatchObject({ message: 'enough' });
    expect(await world.storedAction(action_id)).toMatchObject({ status: 'PENDING' });

    const { fetch, routes } = observed();
    expect(await caught(world.client({ fetch })(url, { signal: AbortSignal.abort() }))).toMatchObject({
      name: 'AbortError',
    });
    expect(routes).toEqual([]);
  });

  it('is waited for no longer than waitSeconds: ApprovalPending', async () => {
    const { fetch, routes } = observed();
    const error = await caught(
      world.client({ fetch, waitSeconds: 0 })(world.heldTarget(), { method: 'POST', body: '{}' }),
    );
    expect(error).toBeInstanceOf(ApprovalPending);
    expect(await world.storedAction(error.actionId)).toMatchObject({ status: 'PENDING' });
    expect(routes).toEqual(['POST /proxy', 'GET /status/:id']);
    const later = await caught(world.client({ waitSeconds: 1 })(world.heldTarget(), { method: 'DELETE' }));
    expect(later).toMatchObject({ code: 'action_pending' });
  });

  it('is executed once when the answer of the execution is lost, and returns the stored answer', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0x80]);
    world.gateway.upstream.answer((_call, response) => {
      response.writeHead(201, { 'Content-Type': 'image/png', Link: ['<a>', '<b>'] }).end(bytes);
    });
    const { fetch, routes } = losing('POST /proxy/execute/:id');
    const onHeld = ({ actionId }: HeldAction) => void world.gateway.approve(actionId);
    const answer = await world.client({ fetch, onHeld })(world.heldTarget(), { method: 'POST', body: '{}' });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(answer.headers.get('link')).toBe('<a>, <b>');
    expect(answer.headers.get('x-proxy-status')).toBe('executed-approved');
    expect(bytes.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
    expect(world.gateway.upstream.calls).toHaveLength(1);
    expect(routes.slice(-2)).toEqual(['POST /proxy/execute/:id', 'GET /status/:id']);
  });

  it('with an unknown outcome of its execution is an error, now and later', async () => {
    world.gateway.upstream.answer((_call, response) => response.destroy());
    let actionId = '';
    const onHeld = (held: HeldAction) => void world.gateway.approve((actionId = held.actionId));
    const post = { method: 'POST', body: '{}' };
    const error = await caught(world.client({ onHeld })(world.heldTarget(), post));
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ status: 502, message: expect.stringContaining('Failed to forward request') });
    expect(await caught(resumeAction(world.settings(), actionId))).toMatchObject({
      status: 502,
      message: error.message,
    });
    expect(world.gateway.upstream.calls).toHaveLength(1);
  });
});

describe('a request after its deadline', () => {
  const later = async (hours: number) => {
    await world.gateway.app.advance({ hours });
    await world.gateway.logInAgain();
  };

  it('that was not decided: ApprovalExpired', async () => {
    const error = await caught(world.client({ onHeld: () => later(25) })(world.heldTarget(), { method: 'DELETE' }));
    expect(error).toBeInstanceOf(ApprovalExpired);
    expect(error).toMatchObject({ code: 'action_expired', name: 'ApprovalExpired' });
  });

  it('that was approved but not executed in time: ApprovalExpired, and nothing is sent', async () => {
    const onHeld = async ({ actionId }: HeldAction) => {
      await world.gateway.approve(actionId);
      await later(2);
    };
    const error = await caught(world.client({ onHeld })(world.heldTarget(), { method: 'POST', body: '{}' }));
    expect(error).toBeInstanceOf(ApprovalExpired);
    expect(world.gateway.upstream.calls).toHaveLength(0);
  });
});
