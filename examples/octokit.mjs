/**
 * A program on @octokit/rest, against `npm run demo` (which prints how to call it). Only its fetch is the gateway's.
 * Reading branches is forwarded. Deleting one is held until you approve it in the dashboard, and then it is executed
 * once.
 */
import process from 'node:process';
import { Octokit } from '@octokit/rest';
// In your own project: from '@agent-gateway/client'.
import { ApprovalDenied, createGatewayFetch } from '../libs/client/dist/index.js';

const { GATEWAY_URL, AGENT_KEY } = process.env;

// The demo's stand-in for https://api.github.com. The gateway lists which base URLs this agent can reach.
const agent = await fetch(`${GATEWAY_URL}/agent`, { headers: { 'Agent-Key': AGENT_KEY } });
const { services } = await agent.json();
const { baseUrl } = services.find(({ name }) => name === 'Sample GitHub');

const octokit = new Octokit({
  baseUrl,
  request: {
    fetch: createGatewayFetch({
      gatewayUrl: GATEWAY_URL,
      agentKey: AGENT_KEY,
      intent: 'Clean up unused branches',
      onHeld: ({ summary, dashboardUrl }) => console.log(`Held: ${summary}\n  Decide here: ${dashboardUrl}`),
    }),
  },
});
const repository = { owner: 'acme', repo: 'shop' };
const branches = async () => (await octokit.repos.listBranches(repository)).data.map(({ name }) => name).join(', ');

console.log(`Branches: ${await branches()}`);
try {
  const { status } = await octokit.git.deleteRef({ ...repository, ref: 'heads/old-experiment' });
  console.log(`Deleted: ${status}`);
} catch (error) {
  if (!(error.cause instanceof ApprovalDenied)) throw error;
  console.log(`Denied: ${error.cause.note ?? 'without a note'}`);
  process.exitCode = 1;
}
console.log(`Branches: ${await branches()}`);
