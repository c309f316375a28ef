import { ofAgents, ofBaseUrls, ofDiscovery, ofMcp } from './openapi-responses/agents.js';
import { ofChannels, ofSlackDecisions } from './openapi-responses/channels.js';
import { startDescribedGateway, type DescribedGateway } from './openapi-responses/described-gateway.js';
import { ofAccounts, ofConfirmations, ofPasskeys, ofSingleSignOn } from './openapi-responses/people.js';
import { ofRequests } from './openapi-responses/requests.js';
import { ofServices } from './openapi-responses/services.js';
import { ofWorkspaces } from './openapi-responses/workspaces.js';

let api: DescribedGateway;
beforeAll(async () => {
  api = await startDescribedGateway();
});
afterAll(() => api.close());

/** Every endpoint gets valid and invalid requests, and each response is checked against the OpenAPI document. */
describe('real responses', () => {
  it('of health and accounts', () => ofAccounts(api));
  it('of confirmations', () => ofConfirmations(api));
  it('of passkeys', () => ofPasskeys(api));
  it('of single sign-on', () => ofSingleSignOn(api));
  it('of workspaces and members', () => ofWorkspaces(api));
  it('of services, documentation and rules', () => ofServices(api));
  it('of channels', () => ofChannels(api));
  it('of decisions in Slack', () => ofSlackDecisions(api));
  it('of agents', () => ofAgents(api));
  it('of requests, actions and the audit log', () => ofRequests(api));
  it('of the base URLs of services', () => ofBaseUrls(api));
  it('of discovery', () => ofDiscovery(api));
  it('of the MCP server', () => ofMcp(api));

  it('cover every endpoint, with successes and errors', () => {
    for (const [route, { responses }] of api.document.operations) {
      const seen = [...(api.covered.get(route) ?? [])];
      const succeeds = route !== 'POST /auth/register' && Object.keys(responses).some((status) => status < '300');
      if (succeeds) expect([route, seen.some((status) => status < 300)]).toEqual([route, true]);
      expect([route, seen.length]).not.toEqual([route, 0]);
      expect([route, Object.keys(responses)]).toEqual([route, expect.arrayContaining(seen.map(String))]);
    }
  });
});
