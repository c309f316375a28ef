import { PASSWORD } from '../../api/test/support/accounts.js';
import { startFakeUpstream, type FakeUpstream } from '../../api/test/support/fake-upstream.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { logIn, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;
let other: FakeUpstream;
beforeAll(async () => {
  other = await startFakeUpstream();
  gateway = await startGateway({ PRIVATE_TARGET_ALLOWLIST: other.hostAndPort });
  gateway.model.answer({ score: 0 });
});
afterAll(async () => {
  await gateway.close();
  await other.close();
});

it.each([
  ['desktop', 'dark'],
  ['phone', 'light'],
] as const)(
  'asks for a confirmation of the new host of a service, and then sends to it: %s, %s',
  async (device, colorScheme) => {
    const { id, name } = await gateway.createService({ name: `Moved ${device} ${colorScheme}` });
    await gateway.admin(`PUT /agents/${gateway.agent.id}/services`, { serviceIds: [id] });
    await gateway.admin(`PUT /services/${id}`, { baseUrl: `${other.url}/v1` });
    const ask = () => gateway.proxy({ targetUrl: `${other.url}/v1/customers` });
    expect((await ask()).status).toBe(502);

    // The person has not confirmed yet.
    chromium.tolerate(/403/);
    const page = await chromium.page({ device, colorScheme });
    await logIn(page, gateway.url, `/services/${id}`);
    await page.getByText('This service has moved to another host.').waitFor();
    await page.getByRole('button', { name: 'Confirm' }).click();
    const dialog = page.getByRole('dialog', { name: `Confirm the credentials of ${name}` });
    await dialog.getByText(`http://${other.hostAndPort}`).waitFor();
    await dialog.getByRole('button', { name: 'Send them there' }).click();
    const identity = page.getByRole('dialog', { name: 'Confirm it is you' });
    await identity.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await identity.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('This service has moved to another host.').waitFor({ state: 'hidden' });
    expect((await ask()).status).toBe(200);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(width).toBeLessThanOrEqual(0);
  },
);
