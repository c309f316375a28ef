/**
 * An agent's program over MCP, against `npm run demo` (which prints how to call it). It lists what it can reach, reads
 * the documentation, reads a customer and deletes one. The deletion is held until you approve it in the dashboard, and
 * then it is executed once.
 */
import process from 'node:process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { GATEWAY_URL, AGENT_KEY } = process.env;

const client = new Client({ name: 'example', version: '1.0.0' });
await client.connect(
  new StreamableHTTPClientTransport(new URL(`${GATEWAY_URL}/mcp`), {
    requestInit: { headers: { 'Agent-Key': AGENT_KEY } },
  }),
);
const { tools } = await client.listTools();
console.log(`Tools: ${tools.map(({ name }) => name).join(', ')}`);

/** Calls a tool. While the call waits for a human, its progress names the action. */
async function call(name, given) {
  let told = false;
  const onprogress = ({ message }) => {
    const [, actionId] = /action ([0-9a-f-]{36})/.exec(message);
    if (!told) console.log(`  Held. Decide here: ${GATEWAY_URL}/dashboard/approvals/${actionId}`);
    told = true;
  };
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: given }, undefined, {
    onprogress,
    timeout: 120_000,
  });
  if (isError) throw new Error(content[0].text);
  return structuredContent;
}

const show = ({ status, response, note, next }) =>
  console.log(`  ${status} ${response ? `${response.status} ${response.body}` : (note ?? next)}`);

const { services } = await call('list_services', {});
const shop = services.find(({ name }) => name === 'Sample shop');
console.log(`Rules of ${shop.name}:\n  ${shop.rules.join('\n  ')}`);

const { operations } = await call('search_docs', { query: 'delete customer', service: shop.name, limit: 1 });
const [{ method, url }] = operations;
console.log(`To delete a customer: ${method} ${url}`);

const targetUrl = url.replace('{id}', '41');
console.log('Read a customer:');
show(await call('request', { method: 'GET', targetUrl, intent: 'Look up the customer who wrote in' }));

console.log('Delete them:');
const intent = 'The customer asked us to erase their account';
let answer = await call('request', { method, targetUrl, intent });
// The call has waited for most of a minute. People may take longer.
while (answer.status === 'PENDING_APPROVAL') answer = await call('get_action', { actionId: answer.actionId });
if (answer.status === 'APPROVED') answer = await call('execute_action', { actionId: answer.actionId });
show(answer);
if (answer.status === 'EXECUTED') {
  console.log('Read the customer again:');
  show(await call('request', { method: 'GET', targetUrl, intent: 'Check that the account is erased' }));
} else process.exitCode = 1;

await client.close();
