import type { Action, Agent, Service } from '#contracts';
import { bringHome } from './support/bring-home.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { startOAuthProvider, type OAuthProviderProcess } from '../../api/test/support/oauth-provider.js';
import { startFront, type Front } from '../../api/test/support/tcp-proxy.js';
import { logIn, useChromium } from './support/browser.js';
import { Human } from './support/human.js';

const chromium = useChromium();

describe('an API', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  it('is found in the catalogue by a part of its name', async () => {
    const page = await chromium.page();
    await logIn(page, gateway.url, '/services/new');
    await page.getByLabel('Find an API').fill('git');
    for (const name of ['GitHub', 'GitLab', 'Gitea or Forgejo'])
      await page.getByRole('button', { name, exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Stripe' }).count()).toBe(0);
    await page.getByLabel('Find an API').fill('no such thing');
    await page.getByText('It is not in the list.').waitFor();
    await page.getByRole('button', { name: 'Another API' }).click();
    await page.getByLabel('Base URL').waitFor();
    await page.goBack();
    await page.getByLabel('Find an API').waitFor();
  });

  it.each(['desktop', 'phone'] as const)('becomes a tested service with its rules, on a %s', async (device) => {
    const page = await chromium.page({ device });
    await logIn(page, gateway.url, '/services/new');
    await bringHome(page, gateway.upstream.url);
    const human = new Human();
    await human.fill(page.getByLabel('Find an API'), 'git');
    await human.click(page.getByRole('button', { name: 'GitHub' }));
    const link = page.getByRole('link', { name: 'Create the credential at github.com' });
    expect(await link.getAttribute('href')).toBe('https://github.com/settings/personal-access-tokens/new');
    expect([await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual(['_blank', 'noreferrer']);
    await human.fill(page.getByRole('textbox', { name: 'Token' }), 'github_pat_typed');
    await human.click(page.getByRole('button', { name: 'Test and save' }));
    await page.getByText('It works: the API responded with 200').waitFor();
    expect(human.taps).toBe(4);
    expect(gateway.upstream.calls.at(-1)).toMatchObject({
      path: '/user',
      headers: { authorization: 'Bearer github_pat_typed' },
    });
    const service = (await gateway.admin<Service[]>('GET /services')).at(-1)!;
    const rules = await gateway.admin<{ name: string }[]>(`GET /services/${service.id}/risk-rules`);
    expect(rules.map(({ name }) => name).sort()).toEqual([
      'Allow all reads',
      'Ask before DELETE',
      'Ask before a merge',
      'Ask before access changes',
      'Ask before members change',
    ]);
    await gateway.admin(`PUT /agents/${gateway.agent.id}/services`, { serviceIds: [service.id] });
    const { action_id: actionId } = await gateway.hold({
      targetUrl: `${gateway.upstream.url}/user/starred/octocat/hello-world`,
    });
    const { headline } = await gateway.admin<Action>(`GET /approvals/${actionId}`);
    expect(headline).toBe('Unstar a repository · starred octocat/hello-world in user');
    await page.goto(`${gateway.url}/dashboard/services/${service.id}/documentation`);
    await page.getByText('Small description of GitHub').first().waitFor();
    // An open page would ask for the deleted service again, when the stream announces the change.
    await page.close();
    await gateway.admin(`PUT /agents/${gateway.agent.id}/services`, { serviceIds: [gateway.service.id] });
    await gateway.admin(`DELETE /services/${service.id}`);
  });

  it('is not saved with a credential that the API rejects, unless the person says so', async () => {
    gateway.upstream.answer((call, response) =>
      response.writeHead(call.headers.authorization === 'Bearer right-token' ? 200 : 401).end('{}'),
    );
    const services = async () => (await gateway.admin<Service[]>('GET /services')).length;
    const before = await services();
    const page = await chromium.page({ device: 'phone' });
    await logIn(page, gateway.url, '/services/new?api=github');
    await bringHome(page, gateway.upstream.url);
    const token = page.getByRole('textbox', { name: 'Token' });
    const submit = page.getByRole('button', { name: 'Test and save' });
    await token.fill('wrong-token');
    await submit.click();
    await page.getByText('The API responded with 401: it rejects these credentials. Nothing is saved.').waitFor();
    await page.getByText('The API rejected this.').waitFor();
    expect([await services(), await token.inputValue()]).toEqual([before, 'wrong-token']);
    await token.fill('right-token');
    await page.getByText('Nothing is saved.').waitFor({ state: 'detached' });
    await submit.click();
    await page.getByText('It works: the API responded with 200').waitFor();
    expect(await services()).toBe(before + 1);
    await page.getByRole('checkbox', { name: 'support-bot' }).check();
    await page.getByRole('button', { name: 'Give 1 agent access' }).click();
    await page.getByText('1 agent can use GitHub now').first().waitFor();
    const granted = await gateway.admin<Agent>(`GET /agents/${gateway.agent.id}`);
    expect(granted.services.map(({ name }) => name)).toEqual(['Shop', 'GitHub']);
    expect(await page.getByRole('checkbox', { name: 'support-bot' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Add another' }).click();
    await page.getByLabel('Find an API').fill('github');
    await page.getByRole('button', { name: 'GitHub', exact: true }).click();
    await token.fill('wrong-token');
    await submit.click();
    await page.getByRole('button', { name: 'Save anyway' }).click();
    await page.getByText('it is reachable but rejects these credentials').waitFor();
    expect(await services()).toBe(before + 2);
    gateway.upstream.answer((_call, response) => response.writeHead(200).end('{}'));
  });

  it.each([
    ['a token', /^Bearer/],
    ['no credentials', /^None/],
  ])('with %s is not saved if it can’t be reached, unless the person says so', async (_name, way) => {
    const baseUrl = 'https://not-yet.invalid/v1';
    const count = async () => (await gateway.admin<Service[]>('GET /services')).length;
    const before = await count();
    const page = await chromium.page({ device: 'phone' });
    await logIn(page, gateway.url, '/services/new?api=other');
    await page.getByLabel('Name', { exact: true }).first().fill('Not yet');
    const url = page.getByLabel('Base URL');
    await url.fill(baseUrl);
    await page.getByRole('radio', { name: way }).click();
    if (way.test('Bearer')) await page.getByRole('textbox', { name: 'Token' }).fill('t');
    await page.getByRole('button', { name: 'Test and save' }).click();
    await page.getByText(/^The API could not be reached: .*\. Nothing is saved\./).waitFor();
    await page.getByText(`Asked: GET ${baseUrl}`).waitFor();
    expect([await count(), await url.inputValue()]).toEqual([before, baseUrl]);
    await page.getByRole('button', { name: 'Save anyway' }).click();
    await page.getByRole('heading', { name: 'Not yet is saved' }).waitFor();
    await page.getByText(/^Could not test: /).waitFor();
    expect(await count()).toBe(before + 1);
    await page.getByRole('link', { name: 'Open service' }).click();
    await page.getByText('API not reached').waitFor();
  });

  it('says what a part of a URL must look like', async () => {
    const page = await chromium.page();
    await logIn(page, gateway.url, '/services/new?api=gitea');
    await page.getByLabel('Host of your server').fill('https://git.example.com/');
    await page.getByText('Enter only this part of the URL, for example git.example.com.').waitFor();
    await page.getByLabel('Host of your server').fill('git.example.com');
    await page.getByText('Agents can reach git.example.com/api/v1/*').waitFor();
  });

  it('adds an API that needs no credentials, and replaces all keys of one with templates', async () => {
    const page = await chromium.page();
    await logIn(page, gateway.url, '/services/new?api=other');
    await page.getByLabel('Name').fill('Open data');
    await page.getByLabel('Base URL').fill(`${gateway.upstream.url}/open`);
    await page.getByRole('radio', { name: /^None/ }).click();
    await page.getByRole('button', { name: 'Test and save' }).click();
    await page.getByText('It works: the API responded with 200').waitFor();
    expect(gateway.upstream.calls.at(-1)!.headers.authorization).toBeUndefined();
    await page.getByRole('link', { name: 'Open service' }).click();
    await page.getByRole('link', { name: 'Credentials' }).click();
    await page.getByText('This service needs no credentials.').waitFor();
    expect(await page.getByRole('button', { name: 'Rotate' }).count()).toBe(0);

    const { id } = await gateway.createService({
      name: 'Weather',
      authType: 'custom',
      auth: { headers: { 'X-Tenant': '{{tenant}}' }, query: { appid: '{{key}}' } },
      credentials: { tenant: 'first', key: 'second' },
    });
    await page.goto(`${gateway.url}/dashboard/services/${id}/credentials`);
    await page.getByText('query appid').waitFor();
    await page.getByRole('button', { name: 'Rotate' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'tenant' }).fill('third');
    await dialog.getByRole('textbox', { name: 'key' }).fill('fourth');
    await dialog.getByRole('button', { name: 'Test and save' }).click();
    await dialog.getByText('2 credentials stored').waitFor();
    expect(gateway.upstream.calls.at(-1)).toMatchObject({ headers: { 'x-tenant': 'third' } });
  });
});

describe('an API with OAuth', () => {
  let gateway: Gateway;
  let provider: OAuthProviderProcess;
  let front: Front;
  let url: string;

  beforeAll(async () => {
    front = await startFront();
    url = front.url;
    provider = await startOAuthProvider(`${url}/oauth/callback`);
    gateway = await startGateway({ PUBLIC_URL: url, PRIVATE_TARGET_ALLOWLIST: provider.hostAndPort });
    front.leadTo(gateway.url);
  });
  afterAll(async () => {
    await front.stop();
    await gateway.close();
    await provider.close();
  });

  const create = (name: string): Promise<Service> =>
    gateway.createService({
      name,
      authType: 'oauth2',
      oauth: {
        grant: 'authorization_code',
        authorizationUrl: `${provider.url}/auth`,
        tokenUrl: `${provider.url}/token`,
        clientId: 'gateway',
        scopes: ['openid', 'offline_access', 'read'],
        tokenAuth: 'basic',
        extraParams: { prompt: 'consent' },
      },
      credentials: { client_secret: 'planted-client-secret' },
    });

  it('is connected with one press, tested by itself, and reconnected from the list', async () => {
    const service = await create('Drive');
    const page = await chromium.page();
    await logIn(page, url, `/services/${service.id}`);
    await page.getByText('This service is not connected.').waitFor();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('Drive is connected.').waitFor();
    await page.getByText('It works: the API responded with 200').waitFor();
    await page.getByText('openid, offline_access, read').waitFor();
    await page.getByText('(renewed automatically)').waitFor();
    await page.getByText(/^Ada, /).waitFor();

    // A working connection is replaced only after a confirmation.
    await page.goto(`${url}/dashboard/services/${service.id}/credentials`);
    await page.getByRole('button', { name: 'Reconnect' }).click();
    await page.getByText('agents keep using the current connection').waitFor();
    await page.getByText('No agent can use this service yet').waitFor();
    await page.getByRole('button', { name: /^Sign in at / }).click();
    await page.getByText('Drive is connected.').waitFor();
    await page.getByText('you can revert to the previous credentials').waitFor();

    // The previous connection comes back.
    const second = await gateway.admin<Service>(`GET /services/${service.id}`);
    await page.getByRole('status').getByRole('button', { name: 'Revert' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revert credentials' }).click();
    await page.getByText('The previous credentials are in use again.').first().waitFor();
    const reverted = await gateway.admin<Service>(`GET /services/${service.id}`);
    expect(reverted.connection!.connectedAt! < second.connection!.connectedAt!).toBe(true);

    // It goes with the service.
    await page.goto(`${url}/dashboard/services/${service.id}/overview`);
    await page.getByRole('button', { name: 'Delete service' }).click();
    await page.getByRole('dialog').getByText('The OAuth connection that Ada made ends.').waitFor();

    // A reconnection that the person cancels at the provider.
    await page.goto(`${url}/dashboard/services/${service.id}?connection=denied`);
    await page.getByText('Drive is still connected. The new sign-in was denied.').waitFor();

    // The state after the provider has ended the grant.
    await gateway.app.database.query('UPDATE connections SET needs_reconnect = true WHERE service_id = $1', [
      service.id,
    ]);
    await page.goto(`${url}/dashboard/services`);
    const row = page.getByRole('row', { name: 'Drive' });
    await row.getByText('reconnect needed', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Reconnect' }).click();
    await page.getByText('Drive is connected.').waitFor();
  });

  it('gets a new client secret that the provider takes, which ends the connection', async () => {
    const { id } = await create('Renamed client');
    const page = await chromium.page();
    await logIn(page, url, `/services/${id}/credentials`);
    await page.getByRole('button', { name: 'Replace client secret' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('A new client secret ends the connection.').waitFor();
    await dialog.getByRole('textbox', { name: 'Client secret' }).fill('second-secret');
    await dialog.getByRole('button', { name: 'Test and save' }).click();
    await dialog.getByText('401 invalid_client: it rejects the new client secret.').waitFor();
    await dialog.getByText('The old credentials are still in use.').waitFor();
    await dialog.getByRole('textbox', { name: 'Client secret' }).fill('planted-client-secret');
    await dialog.getByRole('button', { name: 'Test and save' }).click();
    await dialog.getByText('1 credential stored').waitFor();
    await dialog.getByText('the provider accepts the new client secret').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Connect', exact: true }).waitFor();
  });

  it('says why it could not be connected', async () => {
    const { id } = await create('Broken');
    chromium.tolerate(/502/);
    const page = await chromium.page();
    await logIn(page, url, `/services/${id}`);
    await provider.mode('client');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('Broken is not connected: the provider returned no access token.').waitFor();
    // Once is enough.
    await page.getByText(/invalid_client/).waitFor();
    expect(await page.getByText('This service is not connected.').count()).toBe(0);
    await page.goto(`${url}/dashboard/services/${id}?connection=denied`);
    await page.getByText('Broken is not connected: access was denied.').waitFor();
    await provider.mode('ok');
  });
});
