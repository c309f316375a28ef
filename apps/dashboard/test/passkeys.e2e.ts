import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { startFront, type Front } from '../../api/test/support/tcp-proxy.js';
import { PASSWORD } from '../../api/test/support/accounts.js';
import { pageWithAxe, settledViolations } from './support/axe.js';
import { logIn, useChromium, type ContextOptions } from './support/browser.js';

const chromium = useChromium();

let gateway: Gateway;
let front: Front;
let url: string;
beforeAll(async () => {
  // The gateway must know its address before it listens. Passkeys need a host name.
  front = await startFront();
  url = `http://localhost:${front.port}`;
  gateway = await startGateway({ PUBLIC_URL: url });
  front.leadTo(gateway.url);
});
afterEach(() => gateway.app.database.query('DELETE FROM passkeys'));
afterAll(async () => {
  await front.stop();
  await gateway.close();
});

interface Device {
  session: CDPSession;
  id: string;
}

/** Chromium's virtual device. It verifies its person without asking. */
async function plugIn(page: Page, { verified = true } = {}): Promise<Device> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId: id } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: verified,
      automaticPresenceSimulation: true,
    },
  });
  return { session, id };
}

const add = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await confirmByPassword(page);
  await page.getByText('Not used yet.').last().waitFor();
};

async function confirmByPassword(page: Page, about = 'Settings · Add a passkey'): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm it is you' });
  // It says what is confirmed.
  await dialog.getByText(about, { exact: true }).waitFor();
  await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Ada on the security page, with a device. */
async function withDevice(options?: ContextOptions): Promise<{ context: BrowserContext; page: Page; device: Device }> {
  // The first call is refused until the person confirms.
  chromium.tolerate(/403/);
  const context = await chromium.context(options);
  const page = await context.newPage();
  const device = await plugIn(page);
  await logIn(page, url, '/settings/security');
  return { context, page, device };
}

/** Sets whether the person is at the device. If not, the device waits. */
const attend = ({ session, id: authenticatorId }: Device, enabled: boolean) =>
  session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });

it('adds a passkey after a confirmation, logs in with it without typing, and confirms with it', async () => {
  // A request of the page may be under way when its session ends.
  chromium.tolerate(/401/);
  const { page, device } = await withDevice();
  await add(page);
  await page.getByText('Passkey added.').first().waitFor();
  await page.getByRole('button', { name: 'Rename Chrome on Linux' }).waitFor();

  await attend(device, false);
  const offered = page.waitForResponse(`${url}/auth/passkeys/login/options`);
  await page.getByRole('button', { name: 'Log out' }).click();
  await offered;
  // The device never answers a request that it got while nobody was there. So the person comes before the button's
  // request.
  await page.route(`${url}/auth/passkeys/login/options`, async (route) => {
    await attend(device, true);
    await route.continue();
  });
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL(`${url}/dashboard/settings/security`);
  await page.getByText(/Last used just now/).waitFor();

  // The new session is not confirmed.
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm it is you' });
  await dialog.getByRole('button', { name: 'Use a passkey' }).click();
  await page
    .getByText(/^Confirmed until \d\d:\d\d\.$/)
    .first()
    .waitFor();
  // The call was repeated, and this device already has a passkey.
  await page.getByText('This device already has a passkey for your account.').waitFor();
});

it('offers the passkeys of the site in the list of the e-mail field', async () => {
  chromium.tolerate(/401/);
  const { page } = await withDevice({ device: 'phone' });
  await add(page);
  // The device answers the offer by itself.
  await page.context().clearCookies();
  await page.goto(`${url}/dashboard/login`);
  await page.waitForURL(`${url}/dashboard/approvals`);
});

it('renames and removes passkeys; the password stays', async () => {
  const { page } = await withDevice();
  await add(page);
  await page.getByRole('button', { name: 'Rename Chrome on Linux' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Laptop');
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await gateway.app.database.query('UPDATE sessions SET confirmed_at = NULL');
  await page.getByRole('button', { name: 'Remove Laptop' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await confirmByPassword(page, 'Remove Laptop');
  await page.getByRole('button', { name: 'Remove Laptop' }).waitFor({ state: 'detached' });
  expect(await gateway.app.database.query('SELECT FROM passkeys')).toEqual([]);
});

it('adds passkeys on two devices of one person', async () => {
  const { page } = await withDevice();
  await add(page);
  const other = await chromium.page({ device: 'phone' });
  await plugIn(other);
  await logIn(other, url, '/settings/security');
  await add(other);
  await other.getByText('Not used yet.').nth(1).waitFor();
});

it('adds nothing where the device does not verify its person, and says so', async () => {
  chromium.tolerate(/403/);
  const page = await chromium.page();
  const device = await plugIn(page, { verified: false });
  await logIn(page, url, '/settings/security');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await confirmByPassword(page);
  await page.getByText('No passkey was used. Try again.').waitFor();
  await device.session.send('WebAuthn.setUserVerified', { authenticatorId: device.id, isUserVerified: true });
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('Not used yet.').waitFor();
});

it('does nothing when the person cancels the confirmation, and tries again after a wrong password', async () => {
  const { page } = await withDevice();
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm it is you' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Confirm first that it is you').waitFor();
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await dialog.getByRole('textbox', { name: 'Password' }).fill('wrong password');
  await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
  await dialog.getByText('Current password is wrong').waitFor();
  await confirmByPassword(page);
  await page.getByText('Not used yet.').waitFor();
});

it('says at a second address of the gateway at which address passkeys work', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url, '/settings/security');
  await page.getByText(`Passkeys work at ${url} only. Open the dashboard there.`).waitFor();
});

it('has no violations in its dialogs, in both schemes', async () => {
  chromium.tolerate(/40[13]/);
  const found: string[] = [];
  for (const [device, colorScheme] of [
    ['desktop', 'light'],
    ['phone', 'dark'],
  ] as const) {
    const page = await pageWithAxe(chromium, device);
    await page.emulateMedia({ colorScheme });
    const authenticator = await plugIn(page);
    await logIn(page, url, '/settings/security');
    await add(page);
    found.push(...(await settledViolations(page, 'passkeys')));
    await page.getByRole('button', { name: 'Remove Chrome' }).last().click();
    await page.getByRole('dialog').waitFor();
    found.push(...(await settledViolations(page, 'remove')));
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await gateway.app.database.query('UPDATE sessions SET confirmed_at = NULL');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('dialog').getByText('or use your password').waitFor();
    found.push(...(await settledViolations(page, 'confirmation')));
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await attend(authenticator, false);
    await page.context().clearCookies();
    await page.goto(`${url}/dashboard/login`);
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    found.push(...(await settledViolations(page, 'login')));
  }
  expect(found).toEqual([]);
});
