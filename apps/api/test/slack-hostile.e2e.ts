import { once } from 'node:events';
import { connect } from 'node:net';
import { PUBLIC_URL, SlackGateway } from './support/slack-gateway.js';
import { ANA, callHook, encodeForm, pressed, submitted, type HookAnswer } from './support/slack-hook.js';
import { blockText } from './support/slack.js';

const SIGNATURE_ERROR = 'The signature of Slack is missing, wrong, too old, or was used already';

const reach = new SlackGateway({ TRUST_PROXY: 'loopback' });

describe('a request that does not come from Slack', () => {
  const refused = async (answer: Promise<HookAnswer>): Promise<void> => {
    const { status, text } = await answer;
    expect([status, (JSON.parse(text) as { error: string }).error]).toEqual([401, SIGNATURE_ERROR]);
  };
  /** Each test uses its own address, so that failures of one test do not throttle another. */
  const from = (name: number) => ({ headers: { 'X-Forwarded-For': `203.0.113.${name}` } });

  it('is refused for a wrong, missing or old signature, another secret, and an unknown channel', async () => {
    await reach.link();
    const payload = pressed('approve', await reach.held());
    const options = from(1);
    await refused(reach.hook(payload, { ...options, secret: 'another-secret-of-another-channel' }));
    // The clock runs on until the request arrives.
    for (const ms of [600_000, -301_000])
      await refused(reach.hook(payload, { ...options, nowMs: reach.gateway.app.clock.nowMs() + ms }));
    for (const headers of [{ 'X-Slack-Signature': '' }, { 'X-Slack-Request-Timestamp': 'soon' }])
      await refused(reach.hook(payload, { headers: { ...options.headers, ...headers } }));
    for (const id of ['0', '99999', 'x', '1e9', `${reach.channel.id}%20`])
      await refused(callHook(reach.gateway.app, id, encodeForm(payload), options));
    await reach.gateway.admin(`PUT /channels/${reach.channel.id}`, { isActive: false });
    await refused(reach.hook(payload, options));
    expect(reach.slack.calls.filter((method) => method !== 'chat.postMessage')).toEqual(['chat.postEphemeral']);
  });

  it('is refused when it comes twice, also on another instance', async () => {
    await reach.link();
    const body = encodeForm(pressed('approve', await reach.held()));
    const nowMs = reach.gateway.app.clock.nowMs();
    const second = await reach.gateway.secondInstance({
      PRIVATE_CHANNEL_ALLOWLIST: reach.slack.hostAndPort,
      PUBLIC_URL,
    });
    reach.slack.serve(second.app);
    try {
      const answers = await Promise.all(
        [reach.gateway.app, second.app, reach.gateway.app].map((app) =>
          callHook(app, reach.channel.id, body, { nowMs, ...from(2) }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
      expect(reach.slack.views).toHaveLength(1);
    } finally {
      await second.app.close();
    }
  });

  it('is refused without being read when it is huge', async () => {
    const body = `payload=${'a'.repeat(300 * 1024)}`;
    expect((await callHook(reach.gateway.app, reach.channel.id, body, from(3))).status).toBe(413);
  });

  it('gets 429 after many failures from one address that other Slack apps use too', async () => {
    const body = encodeForm(pressed('approve', 'x'));
    const wrong = () => callHook(reach.gateway.app, reach.channel.id, body, { secret: 'wrong', ...from(4) });
    for (let i = 0; i < 30; i++) await refused(wrong());
    const { status, headers } = await wrong();
    expect([status, Number(headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
    for (const address of [4, 5]) {
      const good = encodeForm({ type: 'other', address });
      expect((await callHook(reach.gateway.app, reach.channel.id, good, from(address))).status).toBe(200);
    }
  });

  it('never makes another call from its address wait, however slowly its body comes', async () => {
    const { url, clock } = reach.gateway.app;
    const body = encodeForm(pressed('approve', 'x'));
    for (let i = 0; i < 31; i++)
      await callHook(reach.gateway.app, reach.channel.id, body, { secret: 'wrong', ...from(6) });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    try {
      const head = [
        `POST /hooks/slack/${reach.channel.id} HTTP/1.1`,
        'Host: gateway',
        'X-Forwarded-For: 203.0.113.6',
        `X-Slack-Request-Timestamp: ${Math.floor(clock.nowMs() / 1000)}`,
        `X-Slack-Signature: v0=${'0'.repeat(64)}`,
        // The gateway answers this when it has begun to read the body.
        'Expect: 100-continue',
        'Content-Length: 1000',
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\npayload=`);
      await once(socket, 'data');
      for (const call of [1, 2, 3]) {
        const good = encodeForm({ type: 'other', call });
        expect((await callHook(reach.gateway.app, reach.channel.id, good, from(6))).status).toBe(200);
      }
    } finally {
      socket.destroy();
    }
  });

  it.each<[string, string]>([
    ['no field', 'a=b'],
    ['two fields', `${encodeForm({ type: 'x' })}&${encodeForm({ type: 'x' })}`],
    ['no JSON', encodeForm('{')],
    ['no object', encodeForm('[]')],
    ['no person', encodeForm({ ...pressed('approve', 'x'), user: null })],
    ['a person without id', encodeForm({ ...pressed('approve', 'x'), user: { id: 7 } })],
    ['a NUL', encodeForm(pressed('approve', 'a\0b'))],
    ['a lone surrogate', encodeForm(pressed('approve', '\uD800'))],
    ['no trigger', encodeForm({ ...pressed('approve', 'x'), trigger_id: undefined })],
    [
      'a form of nothing',
      encodeForm({ type: 'view_submission', view: { callback_id: 'agw_decide', private_metadata: 'x' } }),
    ],
    [
      'a form of another choice',
      encodeForm({
        type: 'view_submission',
        view: { callback_id: 'agw_decide', private_metadata: '{"choice":"execute"}' },
      }),
    ],
  ])('is 400 with %s, although it is signed', async (_name, body) => {
    const { status, text } = await callHook(reach.gateway.app, reach.channel.id, body);
    expect([status, text]).toEqual([400, expect.stringContaining('payload: must be one of Slack’s interactions')]);
  });

  it('gets 200 when it is about something else', async () => {
    for (const payload of [
      { type: 'block_actions', actions: [{ action_id: 'agw_review' }] },
      { type: 'view_submission', view: { callback_id: 'of another app' } },
      { type: 'shortcut' },
    ])
      expect(await reach.hook(payload)).toMatchObject({ status: 200, text: '{}' });
  });

  it('decides nothing for people of another Slack workspace', async () => {
    await reach.link();
    const id = await reach.held();
    const OTHER = 'T9999999999';
    for (const payload of [
      pressed('approve', id, { ...ANA, team_id: OTHER }),
      pressed('approve', id, ANA, OTHER),
      { ...pressed('approve', id, { id: ANA.id }), team: null },
    ]) {
      expect((await reach.hook(payload)).status).toBe(200);
      expect(blockText(reach.slack.ephemeral.at(-1)!.blocks)).toContain('Only members of the Slack workspace');
    }
    expect(reach.slack.views).toHaveLength(0);
    await reach.hook(pressed('approve', id));
    const foreign = await reach.hook(submitted(reach.slack.views[0], null, { ...ANA, team_id: OTHER }));
    expect(foreign.text).toContain('Only members of the Slack workspace');
    expect(await reach.readStatus(id)).toBe('PENDING');
  });

  it('decides nothing about actions of other workspaces, or actions that the channel did not get', async () => {
    await reach.link();
    await reach.gateway.admin(`PUT /channels/${reach.channel.id}`, { isActive: false });
    const untold = (await reach.gateway.hold({ targetUrl: `${reach.gateway.upstream.url}/v1/customers/untold` }))
      .action_id;
    await reach.gateway.admin(`PUT /channels/${reach.channel.id}`, { isActive: true });
    // The channel also shows nothing about an action that it was never notified of.
    await reach.hook(pressed('approve', untold));
    expect(reach.slack.views).toHaveLength(0);
    expect(blockText(reach.slack.ephemeral.at(-1)!.blocks)).toContain('can be decided in the dashboard only');
    const told = await reach.held();
    await reach.hook(pressed('approve', told));
    const forged = structuredClone(reach.slack.views[0]);
    forged.view.private_metadata = JSON.stringify({ choice: 'approve', actionId: untold });
    expect((await reach.hook(submitted(forged))).text).toContain('can be decided in the dashboard only');
    expect(await reach.readStatus(untold)).toBe('PENDING');
    for (const id of ['x', '00000000-0000-4000-8000-000000000000']) {
      await reach.hook(pressed('approve', id));
      expect(blockText(reach.slack.ephemeral.at(-1)!.blocks)).toContain('Action not found.');
    }
  });
});

it('shows texts of agents and names of people only where Slack applies no formatting', async () => {
  const name = '<!channel> <https://evil.example|x> *bold* \u202Egnirts';
  await reach.gateway.admin('PATCH /auth/me', { name: '<!here> *Ada*' });
  await reach.gateway.admin(`PUT /agents/${reach.gateway.agent.id}`, { name });
  try {
    await reach.link();
    const id = await reach.held();
    await reach.decide('approve', id);
    await reach.slack.message((text) => text.startsWith('Approved by '));
    const all = JSON.stringify([reach.slack.messages, reach.slack.views, reach.slack.ephemeral]);
    expect(all).not.toContain('\u202E');
    const marked = (value: unknown): string[] =>
      typeof value !== 'object' || value === null
        ? []
        : [
            ...((value as { type?: string }).type === 'mrkdwn' ? [String((value as { text: string }).text)] : []),
            ...Object.values(value).flatMap(marked),
          ];
    const texts = [...reach.slack.messages.map(({ text }) => text), ...marked(JSON.parse(all))];
    for (const text of texts) expect(text).not.toMatch(/<!|evil|\*/);
    expect(all).toContain('<!here> *Ada*');
  } finally {
    await reach.gateway.admin('PATCH /auth/me', { name: 'Ada' });
    await reach.gateway.admin(`PUT /agents/${reach.gateway.agent.id}`, { name: reach.gateway.agent.name });
  }
});
