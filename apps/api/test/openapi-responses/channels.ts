import { CHANNEL_TESTS_PER_MINUTE_MAX } from '#contracts/limits';
import { hashOfSecret } from '../../src/crypto/shown-once.js';
import { PASSWORD } from '../support/accounts.js';
import { BOT_TOKEN, SIGNING_SECRET, SLACK_CHANNEL, slackSignature } from '../support/slack.js';
import { NO_ID, type DescribedGateway } from './described-gateway.js';

export async function ofChannels({ check, slack }: DescribedGateway): Promise<void> {
  const body = { type: 'webhook', name: 'Ours', target: `http://${slack.hostAndPort}/hook` };
  const { id } = await check<{ id: number }>('POST /channels', 201, { body });
  const path = [id];
  await check('POST /channels', 400, { body: {} });
  await check('POST /channels', 403, { body: { ...body, target: 'https://127.0.0.1/' } });
  await check('POST /channels', 404, { body: { ...body, serviceIds: [2_000_000_000] } });
  for (let sent = 0; sent < CHANNEL_TESTS_PER_MINUTE_MAX; sent++) {
    await check('POST /channels/{id}/test', 200, { path });
  }
  await check('POST /channels/{id}/test', 429, { path });
  await check('GET /channels', 200);
  await check('GET /channels/{id}', 200, { path });
  await check('GET /channels/{id}', 404, NO_ID);
  await check('PUT /channels/{id}', 200, { path, body: { name: 'Theirs', effects: ['money'] } });
  await check('PUT /channels/{id}', 400, { path, body: { minRisk: 2 } });
  await check('POST /channels/{id}/rotate-secret', 200, { path });
  await check('GET /channels/{id}/deliveries', 200, { path });
  await check('GET /channels/{id}/deliveries', 400, { path, query: '?limit=0' });
  await check('PUT /channels/{id}', 200, { path, body: { isActive: false } });
  await check('POST /channels/{id}/test', 409, { path });
  await check('DELETE /channels/{id}', 200, { path });
  await check('DELETE /channels/{id}', 404, { path });
}

export async function ofSlackDecisions({ check, gateway }: DescribedGateway): Promise<void> {
  const bot = { botToken: BOT_TOKEN, signingSecret: SIGNING_SECRET, slackChannel: SLACK_CHANNEL };
  const { id } = await check<{ id: number }>('POST /channels', 201, {
    body: { type: 'slack', name: 'Chat', ...bot },
  });
  const interact = (body: string, status: number) =>
    check('POST /hooks/slack/{channelId}', status, {
      path: [id],
      body,
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        ...slackSignature(body, gateway.app.clock.nowMs()),
      },
    });
  await interact('payload={}', 200);
  await interact('payload=', 400);
  await interact(`payload=${'x'.repeat(300_000)}`, 413);
  await check('POST /hooks/slack/{channelId}', 401, { path: [id], body: 'payload={}' });
  const token = 'a'.repeat(64);
  await check('POST /slack-links/view', 410, { body: { token } });
  await check('POST /slack-links', 410, { body: { token } });
  await gateway.app.database.query(
    `INSERT INTO slack_link_requests (token_hash, channel_id, slack_user_id, slack_name, expires_at)
     VALUES ($1, $2, 'U1', 'ana', now() + interval '1 minute')`,
    [hashOfSecret(token), id],
  );
  await check('POST /slack-links/view', 200, { body: { token } });
  await check('POST /slack-links/view', 400, { body: {} });
  await check('POST /auth/confirm', 200, { body: { password: PASSWORD } });
  const link = await check<{ id: number }>('POST /slack-links', 201, { body: { token } });
  await check('POST /slack-links', 400, { body: {} });
  await check('GET /slack-links', 200);
  await check('GET /slack-links', 400, { headers: { 'X-Workspace-Id': 'x' } });
  await check('DELETE /slack-links/{id}', 200, { path: [link.id] });
  await check('DELETE /slack-links/{id}', 404, { path: [link.id] });
  await check('DELETE /channels/{id}', 200, { path: [id] });
}
