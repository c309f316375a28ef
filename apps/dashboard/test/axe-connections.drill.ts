import type { Agent, RotateKeyResponse, Service } from '#contracts';
import type { Page } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { pageWithAxe, settledViolations } from './support/axe.js';
import { logIn, useChromium, type Device } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;
let mail: Service;
let rejected: Service;
let agent: Agent;

beforeAll(async () => {
  gateway = await startGateway({ PUBLIC_URL: 'https://gateway.example.com' });
  mail = await gateway.createService({
    name: 'Mail',
    authType: 'oauth2',
    oauth: {
      grant: 'authorization_code',
      authorizationUrl: 'https://accounts.example.com/authorize',
      tokenUrl: 'https://accounts.example.com/token',
      clientId: 'gateway',
      scopes: ['read'],
      tokenAuth: 'basic',
    },
    credentials: { client_secret: 's', access_token: 'a', refresh_token: 'r' },
  });
  await gateway.createService({ name: 'Due soon', rotateEveryDays: 5 });
  // A rotation after which the API rejects everything.
  rejected = await gateway.createService({ name: 'Rejected', baseUrl: `${gateway.upstream.url}/rejected` });
  const { apiKey, agent: made } = await gateway.createAgent('rotated-bot', [rejected.id]);
  await gateway.admin(`PUT /services/${rejected.id}/credentials`, { credentials: { token: 'wrong' } });
  gateway.upstream.answer((_call, response) => response.writeHead(401).end('{}'));
  await gateway.proxy({ targetUrl: `${rejected.baseUrl}/x` }, { 'Agent-Key': apiKey });
  await gateway.app.settled();
  const rotated = await gateway.admin<RotateKeyResponse>(`POST /agents/${made.id}/rotate-key`, { graceMinutes: 60 });
  agent = await gateway.admin<Agent>(`PUT /agents/${rotated.agent.id}`, { keyLifetimeDays: 5 });
});
afterAll(() => gateway.close());

const reconnect = (needed: boolean) =>
  gateway.app.database.query(
    `UPDATE connections SET needs_reconnect = $2, connected_at = now(), connected_by_name = 'Ada',
       expires_at = now() + interval '1 hour', error = $3 WHERE service_id = $1`,
    [mail.id, needed, needed ? 'invalid_grant' : null],
  );

/** Looks at everything that connects a service, replaces its credentials, or replaces the key of an agent. */
async function look(page: Page, device: Device): Promise<string[]> {
  const found: string[] = [];
  const open = async (path: string) => {
    await page.goto(`${gateway.url}/dashboard${path}`);
    found.push(...(await settledViolations(page, `${device} ${path}`)));
  };
  /** The dialog that a button opens. */
  const dialog = async (button: string) => {
    await page.getByRole('button', { name: button }).last().click();
    await page.getByRole('dialog').waitFor();
    found.push(...(await settledViolations(page, `${device} ${button}`)));
  };
  await open('/services');
  for (const outcome of ['connected', 'denied', 'failed']) await open(`/services/${mail.id}?connection=${outcome}`);
  await open(`/services/${mail.id}/credentials`);
  await open(`/services/${rejected.id}/credentials`);
  await dialog('Revert');
  await open(`/services/${rejected.id}/credentials`);
  await dialog('Rotate');
  await open(`/agents/${agent.id}`);
  await dialog('Revoke it now');
  await open(`/agents/${agent.id}`);
  await dialog('Rotate key');
  await open(`/agents/${agent.id}`);
  await page.getByRole('button', { name: 'Change' }).click();
  found.push(...(await settledViolations(page, `${device} key limits`)));
  await open('/services/new?api=other');
  for (const way of ['API key', 'Username and password', 'OAuth 2 The', 'Custom', 'AWS', 'None', 'Bearer token']) {
    await page.getByRole('radio', { name: new RegExp(`^${way}`) }).click();
    found.push(...(await settledViolations(page, `${device} ${way}`)));
  }
  await page.getByRole('checkbox', { name: 'The API requires a client certificate' }).check();
  found.push(...(await settledViolations(page, `${device} certificate`)));
  return found;
}

it('finds no violations on pages about connections, rotations and keys', async () => {
  await reconnect(true);
  const both = (['desktop', 'phone'] as const).map(async (device) => {
    const page = await pageWithAxe(chromium, device);
    await logIn(page, gateway.url);
    return look(page, device);
  });
  expect(await Promise.all(both)).toEqual([[], []]);
});

it('finds no violations in the dialog that replaces a working connection, and shows the connection first', async () => {
  await reconnect(false);
  const page = await pageWithAxe(chromium, 'phone');
  await logIn(page, gateway.url, `/services/${mail.id}`);
  await page.getByRole('heading', { name: 'About' }).waitFor();
  const headings = await page.locator('main h2').allTextContents();
  expect(headings.indexOf('OAuth connection')).toBeLessThan(headings.indexOf('About'));
  await page.getByRole('button', { name: 'Reconnect' }).click();
  await page.getByRole('dialog').waitFor();
  expect(await settledViolations(page, 'reconnect')).toEqual([]);
});
