import type { Page } from 'playwright-core';
import { eventually } from '../../api/test/support/eventually.js';
import { startFakeUpstream, type FakeUpstream } from '../../api/test/support/fake-upstream.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { verified } from '../../api/test/support/webhooks.js';
import { logIn, useChromium } from './support/browser.js';
import { traces } from './support/traces.js';

const chromium = useChromium();
const WAIT_MS = 20_000;
let gateway: Gateway;
let receiver: FakeUpstream;

beforeAll(async () => {
  receiver = await startFakeUpstream();
  gateway = await startGateway({ CALLBACK_PRIVATE_HOSTS: receiver.hostAndPort });
});
afterAll(async () => {
  await receiver.close();
  await gateway.close();
});

const row = (page: Page, event: string) => page.getByRole('row').filter({ hasText: event });

it('registers a callback, shows deliveries live, and redelivers one', async () => {
  chromium.tolerate(/400/);
  const page = await chromium.page();
  await logIn(page, gateway.url, `/agents/${gateway.agent.id}/callback`);
  const url = page.getByRole('textbox', { name: 'URL' });
  await url.fill('http://example.com/hook');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('url: must be an https URL').waitFor();

  await url.fill(`${receiver.url}/hook`);
  await page.getByRole('button', { name: 'Register and show secret' }).click();
  const secret = await page.getByRole('textbox', { name: 'Signing secret' }).inputValue();
  expect(secret).toMatch(/^whsec_/);
  await page.keyboard.press('Escape');
  expect(await traces(page)).toContain(secret);
  await page.getByRole('button', { name: 'I stored the secret' }).click();
  await page.getByText('No deliveries yet.').waitFor();
  expect(await traces(page)).not.toContain(secret);

  receiver.answer((_call, response) => response.writeHead(204).end());
  await page.getByRole('button', { name: 'Send test' }).click();
  await row(page, 'Test').getByText('answered 204').waitFor();
  const [call] = receiver.calls;
  expect(await verified(call, secret, Date.now())).toMatchObject({ type: 'callback.test' });

  receiver.answer((_call, response) => response.writeHead(500).end());
  const { action_id: actionId } = await gateway.hold();
  await gateway.deny(actionId);
  const denied = row(page, 'Denied');
  await denied.getByText(/answered 500 · next attempt in/).waitFor();
  expect(await denied.getByRole('link', { name: 'Open request' }).getAttribute('href')).toContain(actionId);
  receiver.answer((_call, response) => response.writeHead(200).end());
  await denied.getByRole('button', { name: /^Redeliver “Denied”/ }).click();
  await denied.getByText('answered 200').waitFor();
  const ids = receiver.calls.slice(1).map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(1);
});

it('rotates the secret, turns the callback off, and removes it', async () => {
  const page = await chromium.page({ device: 'phone' });
  await logIn(page, gateway.url, `/agents/${gateway.agent.id}/callback`);
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByRole('button', { name: 'Rotate now' }).click();
  const secret = await page.getByRole('textbox', { name: 'Signing secret' }).inputValue();
  await page.getByRole('button', { name: 'I stored the secret' }).click();
  await page.getByText(/The previous secret is valid for another/).waitFor();
  expect(await traces(page)).not.toContain(secret);

  await page.getByRole('switch', { name: 'Send callbacks' }).uncheck();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await eventually(async () => {
    const { callback } = await gateway.admin<{ callback: { enabled: boolean } }>(
      `GET /agents/${gateway.agent.id}/callback`,
    );
    return !callback.enabled;
  }, WAIT_MS);
  await page.locator('button:disabled', { hasText: 'Send test' }).waitFor();

  await page.getByRole('button', { name: 'Remove callback' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Callbacks stop').waitFor();
  await dialog.getByRole('button', { name: 'Remove callback' }).click();
  await page.getByRole('button', { name: 'Register and show secret' }).waitFor();
  const left = await gateway.app.database.query('SELECT 1 FROM callback_deliveries');
  expect(left).toEqual([]);
});

it('shows the host that the agent requests, and lets the owner allow it, decline it and edit the list', async () => {
  const { id } = gateway.agent;
  const registers = (url: string) =>
    gateway.agentCall('PUT', '/agent/callback', JSON.stringify({ url }), { 'Content-Type': 'application/json' });
  const hosts = async () => (await gateway.admin<{ callbackHosts: string[] }>(`GET /agents/${id}`)).callbackHosts;
  await gateway.admin(`PUT /agents/${id}`, { callbackHosts: [] });
  const page = await chromium.page();
  await logIn(page, gateway.url, `/agents/${id}/overview`);
  await page.getByText('None', { exact: true }).waitFor();
  expect((await registers('https://other.example.com/hook')).status).toBe(403);
  // The request appears without a reload, and disappears after the answer.
  await page.getByRole('button', { name: 'Decline other.example.com' }).click();
  await page.getByText('requests callbacks to').waitFor({ state: 'detached' });
  expect(await hosts()).toEqual([]);

  await page
    .getByRole('tab', { name: 'Callback' })
    .or(page.getByRole('link', { name: 'Callback', exact: true }))
    .first()
    .click();
  expect((await registers(`${receiver.url}/again`)).status).toBe(403);
  await page.getByRole('button', { name: `Allow ${receiver.hostAndPort}` }).click();
  await eventually(async () => (await hosts()).includes(receiver.hostAndPort), WAIT_MS);
  expect((await registers(`${receiver.url}/again`)).status).toBe(200);

  // The form shows the allowed host after a refetch. Before that, typing would be lost.
  const list = page.getByRole('combobox', { name: 'Allowed callback hosts' });
  await page.getByRole('button', { name: `Allow ${receiver.hostAndPort}` }).waitFor({ state: 'detached' });
  await page.locator('form').getByText(receiver.hostAndPort, { exact: true }).waitFor();
  await list.fill('https://example.com/x');
  await page.keyboard.press('Enter');
  await page.getByText('is not a host. Enter it without https://').waitFor();
  expect(await page.getByRole('button', { name: 'Save hosts' }).isDisabled()).toBe(true);
  await page.keyboard.press('Backspace');
  await list.fill('Agent.Example.com');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Save hosts' }).click();
  await eventually(async () => (await hosts()).includes('agent.example.com'), WAIT_MS);
  expect(await hosts()).toEqual([receiver.hostAndPort, 'agent.example.com']);

  // Removing a host from the list stops the callback, and the page says so.
  await gateway.admin(`PUT /agents/${id}`, { callbackHosts: ['agent.example.com'] });
  await page.getByText(`Callbacks are not sent: ${receiver.hostAndPort} is not an allowed callback host`).waitFor();
});
