import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { startOpenIdProvider, type OpenIdProviderProcess } from '../../api/test/support/openid-provider.js';
import { startFront, type Front } from '../../api/test/support/tcp-proxy.js';
import { logIn, useChromium } from './support/browser.js';
import { PASSWORD } from '../../api/test/support/accounts.js';

const chromium = useChromium();
const BO = { sub: 'bo', email: 'bo@example.com', email_verified: true, name: 'Bo' };

let gateway: Gateway;
let provider: OpenIdProviderProcess;
let front: Front;
let url: string;
beforeAll(async () => {
  front = await startFront();
  url = front.url;
  provider = await startOpenIdProvider(`${url}/auth/oidc/callback`);
  gateway = await startGateway({
    PUBLIC_URL: url,
    ALLOW_REGISTRATION: 'true',
    ...provider.settings,
  });
  front.leadTo(gateway.url);
});
beforeEach(() => provider.set({ person: BO }));
afterAll(async () => {
  await front.stop();
  await gateway.close();
  await provider.close();
});

it('leads to the provider and back to the page that asked', async () => {
  const page = await chromium.page();
  await page.goto(`${url}/dashboard/history`);
  await page.getByRole('link', { name: 'Continue with Example Corp' }).click();
  await page.waitForURL(`${url}/dashboard/history`);
  await page.getByRole('heading', { name: 'History', exact: true }).waitFor();
  await page.goto(`${url}/dashboard/settings/profile`);
  await expect(page.getByLabel('E-mail').inputValue()).resolves.toBe('bo@example.com');
});

it.each([
  ['the person cancels', { deny: true }, 'You cancelled the sign-in.'],
  [
    'the e-mail has an account',
    { person: { ...BO, sub: 'x', email: 'ada@example.com' } },
    /Log in with its password, then link/,
  ],
  ['the provider is down', { answer: 'error' as const }, /is not responding/],
])('explains on the log-in page how to continue when %s', async (_what, state, message) => {
  await provider.set({ person: BO, ...state });
  // The page asks whether there is a session.
  chromium.tolerate(/401/);
  const page = await chromium.page({ device: 'phone' });
  await page.goto(`${url}/dashboard/login`);
  await page.getByRole('link', { name: 'Continue with Example Corp' }).click();
  await page.getByRole('alert').getByText(message).waitFor();
  // The password still works.
  await page.getByLabel('E-mail').waitFor();
});

it('shows the status to administrators of the installation only', async () => {
  const page = await chromium.page();
  await page.goto(`${url}/dashboard/status`);
  await page.getByRole('link', { name: 'Continue with Example Corp' }).click();
  await page.getByText(/^Only installation administrators/).waitFor();
  await page.getByRole('link', { name: 'Status' }).waitFor({ state: 'detached' });
});

it('is linked after a confirmation, and unlinked, under Settings', async () => {
  // The first call is refused until the person confirms.
  chromium.tolerate(/403/);
  await provider.set({ person: { ...BO, sub: 'ada-at-work', email: 'ada@work.example' } });
  const page = await chromium.page();
  await logIn(page, url, '/settings/security');
  await page.getByRole('button', { name: 'Link Example Corp' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm it is you' });
  await dialog.getByText('Settings · Link a sign-in').waitFor();
  await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('Linked. You can now sign in without a password.').waitFor();
  await page.getByText('ada@work.example').waitFor();
  await page.getByRole('button', { name: 'Unlink' }).click();
  await page.getByRole('button', { name: 'Link Example Corp' }).waitFor();
});

it('says on the login that covers a page with input that it would lose it', async () => {
  chromium.tolerate(/401/);
  const page = await chromium.page();
  await logIn(page, url, '/agents/new');
  await page.getByLabel('Name').fill('invoice-bot');
  // A live event updates the page.
  await gateway.admin('DELETE /auth/sessions');
  await page.getByText('What you entered is still here.').waitFor();
  await page.getByRole('link', { name: 'Continue with Example Corp' }).waitFor();
  await page.getByText('This loads the page again, so what you entered is lost.').waitFor();
});
