/**
 * An agent that uses only fetch, against `npm run demo` (which prints how to call it). A read is forwarded. A delete is
 * held until you approve it in the dashboard, and then it is executed once.
 */
import process from 'node:process';

const { GATEWAY_URL, AGENT_KEY } = process.env;

/** One call to the gateway. It does not follow redirects, which would carry the agent key elsewhere. */
const call = (method, path, body, headers = {}) =>
  fetch(GATEWAY_URL + path, {
    method,
    headers: { 'Agent-Key': AGENT_KEY, 'Content-Type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
    redirect: 'manual',
  });

/** X-Proxy-Status is present when the API itself has answered. */
const show = async (answer) =>
  console.log(
    `  ${answer.status} (${answer.headers.get('X-Proxy-Status') ?? 'from the gateway'}) ${await answer.text()}`,
  );

// Which services can I reach?
const { services } = await (await call('GET', '/agent')).json();
const shop = services.find(({ name }) => name === 'Sample shop');

console.log('Read a customer:');
const targetUrl = `${shop.baseUrl}/customers/43`;
await show(await call('POST', '/proxy', { method: 'GET', targetUrl, intent: 'Look up the customer who wrote in' }));

console.log('Delete them:');
const intent = 'The customer asked us to erase their account';
const held = await call('POST', '/proxy', { method: 'DELETE', targetUrl, intent });
if (held.status !== 428) {
  await show(held);
  process.exit(1);
}
const { action_id, risk_explanation } = await held.json();
console.log(`  428 held, nothing was sent: ${risk_explanation}`);
console.log(`  Decide here: ${GATEWAY_URL}/dashboard/approvals/${action_id}`);

// Each of these calls waits up to a minute for the decision.
let action;
do action = await (await call('GET', `/status/${action_id}`, undefined, { Prefer: 'wait=60' })).json();
while (action.status === 'PENDING');

console.log(`  ${action.status} ${action.resolution_note ?? ''}`);
if (action.status !== 'APPROVED') process.exit(1);

console.log('Execute it:');
await show(await call('POST', action.execute_url));

console.log('Read the customer again:');
await show(await call('POST', '/proxy', { method: 'GET', targetUrl, intent: 'Check that the account is erased' }));
