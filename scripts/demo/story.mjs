/**
 * The story that the demo tells in the terminal. Each step checks the answer that it expects, and fails on any other.
 */
import { bold, dim, green, say, yellow } from '../lib/lines.mjs';
import { call } from './gateway-client.mjs';

/** The ending, by the human's decision. @typedef {'executed' | 'denied' | 'expired'} Ending */

/**
 * @param {{
 *   url: string,
 *   api: import('./sample-api.mjs').SampleApi,
 *   receiver: import('./receiver.mjs').Receiver,
 *   setting: import('./setting.mjs').Setting,
 *   auto: boolean,
 * }} options `auto`: approves without a human
 * @returns {Promise<Ending>}
 */
export async function tell({ url, api, receiver, setting, auto }) {
  const { human, account, supportBot, reportBot } = setting;
  const customer = `${api.baseUrl}/customers/42`;

  chapter('A request without a token fails');
  const direct = await call(api.baseUrl, 'GET /customers/42');
  expect(direct, 401);
  shown(`GET ${customer}`, direct);
  say(
    `  The sample shop requires its own token (${shortened(api.token)}). Only the gateway has it, encrypted; no agent does.`,
  );

  chapter('A read is forwarded');
  const read = await supportBot.proxy({
    method: 'GET',
    targetUrl: customer,
    intent: 'Look up the customer who wrote in',
  });
  expect(read, 200);
  shown(`${supportBot.name}: GET ${customer}`, read);
  say(`  It sent its agent key (${shortened(supportBot.key)}) and no other secret; the gateway added the token.`);
  say(
    `  ${dim('X-Proxy-Status: ' + read.proxyStatus)}  The rule "Allow all reads" applied, without the model or a human.`,
  );

  chapter('A rule denies a refund');
  const refund = await reportBot.proxy({
    method: 'PATCH',
    targetUrl: `${api.baseUrl}/orders/1002`,
    body: '{"status": "refunded"}',
    intent: 'Refund the order',
    idempotencyKey: `refund-${Date.now()}`,
  });
  expect(refund, 403);
  shown(`${reportBot.name}: PATCH ${api.baseUrl}/orders/1002`, refund);

  chapter('A delete is held');
  const held = await supportBot.proxy({
    method: 'DELETE',
    targetUrl: customer,
    intent: 'The customer asked us to erase their account',
  });
  expect(held, 428);
  shown(`${supportBot.name}: DELETE ${customer}`, held);
  say(`  Why: ${held.json.risk_explanation} (risk ${held.json.risk_score}). Nothing was sent.`);

  chapter('People are told');
  const { data } = await receiver.next('approval.requested', held.json.action_id);
  say(
    `  ${yellow('●')} Webhook of this terminal: ${bold(data.summary)} · ${data.risk} risk · ${data.agent} ${dim('(signature verified)')}`,
  );

  chapter('A human decides');
  say(`  ${yellow('●')} ${bold('Waiting for you:')} open ${bold(`${url}/dashboard/approvals/${held.json.action_id}`)}`);
  say(`    Log in as ${bold(account.email)} with the password ${bold(account.password)}, and approve or deny.`);
  const decision = supportBot.decision(held.json.status_url);
  if (auto) {
    await human.send(`PATCH /approvals/${held.json.action_id}/approve`, { note: 'Approved by --auto' });
    say('  --auto approves.');
  }
  const decided = await decision;
  if (decided.status === 'DENIED') return denied(decided.resolution_note);
  if (decided.status === 'EXPIRED') {
    say('  Nobody decided in time: the action has expired, and nothing was sent.');
    return 'expired';
  }

  chapter('The request is executed once');
  const executed = await supportBot.execute(decided.execute_url);
  expect(executed, 204);
  shown(`${supportBot.name}: POST ${decided.execute_url}`, executed);
  const again = await supportBot.execute(decided.execute_url);
  expect(again, 409);
  shown('A second execution', again);

  chapter('The customer is gone');
  const gone = await supportBot.proxy({
    method: 'GET',
    targetUrl: customer,
    intent: 'Check that the account is erased',
  });
  expect(gone, 404);
  shown(`${supportBot.name}: GET ${customer}`, gone);
  return 'executed';
}

/** @returns {Ending} */
function denied(/** @type {string | null} */ note) {
  say(
    `  Denied${note ? `, and the agent gets the note ${bold(`"${note}"`)}` : ''}. Nothing was sent; the customer still exists.`,
  );
  return 'denied';
}

let chapters = 0;

function chapter(/** @type {string} */ title) {
  say();
  say(bold(`${++chapters}. ${title}`));
}

function shown(
  /** @type {string} */ what,
  /** @type {import('./gateway-client.mjs').Answer} */ { status, text, json },
) {
  const body = text.length > 120 ? JSON.stringify(json, null, 2).replaceAll('\n', '\n    ') : text;
  say(`  ${what}`);
  say(`  ${status < 300 ? green(`→ ${status}`) : yellow(`→ ${status}`)} ${dim(body)}`);
}

function expect(/** @type {import('./gateway-client.mjs').Answer} */ answer, /** @type {number} */ status) {
  if (answer.status !== status) throw new Error(`Expected ${status}, got ${answer.status}: ${answer.text}`);
}

const shortened = (/** @type {string} */ secret) => `${secret.slice(0, 9)}…`;
