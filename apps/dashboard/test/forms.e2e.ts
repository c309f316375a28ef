import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../api/test/support/eventually.js';
import { startFakeUpstream, type FakeUpstream } from '../../api/test/support/fake-upstream.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { enterPassword, logIn, settled, useChromium } from './support/browser.js';
import { addMember } from './support/people.js';
import { seedAgents } from './support/seed.js';
import { traces } from './support/traces.js';

const chromium = useChromium();
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

it('says beside a disabled submit button why it is disabled', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url);
  for (const [path, why] of [
    ['/agents/new', /^Enter a name of at least \d+ characters\.$/],
    ['/services/new?api=other', /^Enter a name\.$/],
    ['/services/new?api=github', /^Enter: Token\.$/],
    ['/settings/profile', /^No changes to save\.$/],
    ['/settings/security', /^Enter your password\.$/],
  ] as const) {
    await page.goto(`${gateway.url}/dashboard${path}`);
    await settled(page);
    const submit = page.locator('main form button[type=submit]');
    expect(await submit.isDisabled()).toBe(true);
    const reason = page.locator(`[id="${await submit.getAttribute('aria-describedby')}"]`);
    expect(await reason.textContent()).toMatch(why);
    expect(await reason.isVisible()).toBe(true);
  }
  await page.goto(`${gateway.url}/dashboard/agents/new`);
  await page.getByLabel('Name').fill('invoice-bot');
  await page.getByRole('checkbox', { name: /Shop/ }).uncheck();
  await page.getByText('Choose at least one service.').waitFor();
  await page.getByRole('checkbox', { name: /Shop/ }).check();
  await page.getByText('Choose at least one service.').waitFor({ state: 'detached' });
  expect(await page.locator('main form button[type=submit]').isEnabled()).toBe(true);
});

/** The visible reason why a button is disabled. */
async function readReason(button: Locator): Promise<string | null> {
  expect(await button.isDisabled()).toBe(true);
  const reason = button.page().locator(`[id="${await button.getAttribute('aria-describedby')}"]`);
  expect(await reason.isVisible()).toBe(true);
  return reason.textContent();
}

it('says why a callback can’t be saved, and why callbacks can’t be sent', async () => {
  const { agent } = gateway;
  const page = await chromium.page();
  await logIn(page, gateway.url, `/agents/${agent.id}/callback`);
  expect(await readReason(page.getByRole('button', { name: 'Register and show secret' }))).toBe('Enter a URL.');
  expect(await readReason(page.getByRole('button', { name: 'Save hosts' }))).toBe('No changes to save.');

  await gateway.admin(`PUT /agents/${agent.id}/callback`, { url: `${receiver.url}/hook` });
  await page.reload();
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await save.waitFor();
  expect(await readReason(save)).toBe('No changes to save.');
  const test = page.getByRole('button', { name: 'Send test' });
  expect(await test.isEnabled()).toBe(true);
  await gateway.admin(`PUT /agents/${agent.id}`, { callbackHosts: [] });
  const stopped = `Can’t send: ${receiver.hostAndPort} is not an allowed callback host.`;
  await page.getByText(stopped).waitFor();
  expect(await readReason(test)).toBe(stopped);
  await gateway.admin(`PUT /agents/${agent.id}/callback`, { url: `${receiver.url}/hook`, enabled: false });
  await page.getByText('Can’t send: “Send callbacks” is off.').waitFor();
  expect(await readReason(test)).toBe('Can’t send: “Send callbacks” is off.');
});

it('says why credentials can’t be replaced, a rule can’t be saved, and a service can’t be deleted', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url, `/services/${gateway.service.id}/credentials`);
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Rotate' }).click();
  const replace = dialog.getByRole('button', { name: 'Test and save' });
  expect(await readReason(replace)).toBe('Enter the new credentials.');
  await dialog.getByRole('textbox', { name: 'Token' }).fill('sk-new');
  expect(await replace.isEnabled()).toBe(true);
  await dialog.getByLabel('Test with GET').fill('me');
  expect(await readReason(replace)).toBe('Correct the marked fields.');

  await page.goto(`${gateway.url}/dashboard/services/${gateway.service.id}/rules`);
  await page.getByRole('button', { name: 'New rule' }).first().click();
  const saveRule = dialog.getByRole('button', { name: 'Save rule' });
  await dialog.getByLabel('Path under the base URL').fill('customers');
  expect(await readReason(saveRule)).toBe('Start the path with / or *.');
  await dialog.getByLabel('Path under the base URL').fill('/customers');
  await dialog.getByLabel('Use limit').fill('many');
  expect(await readReason(saveRule)).toBe('Enter a whole number above 0 as the use limit, or leave it empty.');
  await dialog.getByLabel('Use limit').fill('');
  expect(await saveRule.isEnabled()).toBe(true);
  await dialog.getByRole('radio', { name: 'Tell the model' }).check();
  expect(await readReason(saveRule)).toBe('Enter an instruction for the model.');

  await page.goto(`${gateway.url}/dashboard/services/${gateway.service.id}/overview`);
  await page.getByRole('button', { name: 'Delete service' }).click();
  const remove = dialog.getByRole('button', { name: 'Delete service' });
  expect(await readReason(remove)).toBe('Type the name exactly.');
  await dialog.getByLabel('Type Shop to confirm').fill('Shop');
  expect(await remove.isEnabled()).toBe(true);
});

it('deletes a service with two spaces in its name when the person types the name as the page shows it', async () => {
  const { id } = await gateway.createService({ name: 'Shop  EU' });
  const page = await chromium.page();
  await logIn(page, gateway.url, `/services/${id}/overview`);
  await page.getByRole('button', { name: 'Delete service' }).click();
  const dialog = page.getByRole('dialog');
  const remove = dialog.getByRole('button', { name: 'Delete service' });
  const name = dialog.getByLabel('Type Shop EU to confirm');
  await name.fill('ShopEU');
  expect(await readReason(remove)).toBe('Type the name exactly.');
  await name.fill('Shop EU');
  expect(await remove.isEnabled()).toBe(true);
  await remove.click();
  await page.waitForURL('**/dashboard/services');
  expect((await gateway.tryAdmin(`GET /services/${id}`)).status).toBe(404);
});

it('asks about a token that begins with "Bearer", where services are made and where credentials are replaced', async () => {
  const page = await chromium.page();
  await logIn(page, gateway.url, '/services/new?api=github');
  const token = page.getByRole('textbox', { name: 'Token' });
  const asked = page.getByText('The gateway adds "Bearer" itself, so it would be sent twice.');
  await token.fill('Bearer github_pat_1');
  await asked.waitFor();
  await page.getByRole('button', { name: 'Remove "Bearer"' }).click();
  expect(await token.inputValue()).toBe('github_pat_1');
  expect(await asked.count()).toBe(0);

  await page.goto(`${gateway.url}/dashboard/services/${gateway.service.id}/credentials`);
  await page.getByRole('button', { name: 'Rotate' }).click();
  await token.fill('bearer sk-2');
  await asked.waitFor();
  await page.getByRole('button', { name: 'Remove "bearer"' }).click();
  expect(await token.inputValue()).toBe('sk-2');
});

it('says on the first and last page why there is no further page', async () => {
  await seedAgents(gateway, 150);
  const page = await chromium.page();
  await logIn(page, gateway.url, '/agents');
  const previous = page.getByRole('button', { name: 'Previous' });
  const next = page.getByRole('button', { name: 'Next' });
  await previous.waitFor();
  expect(await readReason(previous)).toContain('first page');
  await next.click();
  await page.getByText('last page').waitFor();
  expect(await readReason(next)).toContain('last page');
  expect(await previous.isEnabled()).toBe(true);
});

describe('what somebody has entered', () => {
  /** Answers the questions of the browser, and remembers them. */
  const answers = (page: Page) => {
    const asked: string[] = [];
    const kept = { stays: true };
    page.on('dialog', (dialog) => {
      asked.push(dialog.type() === 'beforeunload' ? 'closed tab' : dialog.message());
      void (kept.stays ? dialog.dismiss() : dialog.accept());
    });
    return { asked, leave: () => (kept.stays = false) };
  };
  const UNSAVED = 'Leave without saving what you entered?';
  const inMenu = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });

  it('is not lost by the menu, the way back, a key or a closed tab, unless the person says so', async () => {
    const page = await chromium.page();
    await logIn(page, gateway.url, '/history');
    await inMenu(page, 'Agents').click();
    await page.getByRole('link', { name: 'New agent' }).click();
    const name = page.getByLabel('Name');
    await name.fill('invoice-bot');
    const { asked, leave } = answers(page);
    await inMenu(page, 'History').click();
    await page.evaluate('history.back()');
    await eventually(() => asked.length === 2);
    await page.waitForURL((url) => url.pathname.endsWith('/agents/new'));
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await eventually(() => asked.length === 3);
    await page.close({ runBeforeUnload: true });
    await eventually(() => asked.length === 4);
    expect(asked).toEqual([UNSAVED, UNSAVED, UNSAVED, 'closed tab']);
    expect(await name.inputValue()).toBe('invoice-bot');
    expect(page.url()).toMatch(/\/agents\/new$/);
    leave();
    await inMenu(page, 'History').click();
    await page.getByRole('heading', { name: 'History' }).waitFor();
    // Nothing is left to ask about.
    await page.goBack();
    await page.getByRole('heading', { name: 'New agent' }).waitFor();
    expect(asked).toHaveLength(5);
    expect(await name.inputValue()).toBe('');
  });

  it('asks before it closes a dialog by Escape, and not if nothing was entered', async () => {
    const page = await chromium.page();
    await logIn(page, gateway.url, `/services/${gateway.service.id}/rules`);
    const { asked, leave } = answers(page);
    const dialog = page.getByRole('dialog');
    const open = page.getByRole('button', { name: 'New rule' }).first();
    await open.click();
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(asked).toEqual([]);
    await open.click();
    await dialog.getByLabel('Name', { exact: true }).fill('Refunds');
    await page.keyboard.press('Escape');
    await eventually(() => asked.length === 1);
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('Refunds');
    leave();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(asked).toEqual([UNSAVED, UNSAVED]);
  });

  it('keeps a key that is shown once on the screen until the person says that it is stored', async () => {
    const page = await chromium.page();
    await logIn(page, gateway.url, '/agents/new');
    await page.getByLabel('Name').fill('key-bot');
    await page.getByRole('button', { name: 'Create agent and show key' }).click();
    const key = await page.getByLabel('Agent key').inputValue();
    const { asked } = answers(page);
    await inMenu(page, 'Agents').click();
    await page.getByRole('button', { name: 'Log out' }).click();
    expect(asked).toEqual(Array(2).fill('This is shown only now. Leave without it?'));
    expect(await page.getByLabel('Agent key').inputValue()).toBe(key);
    await page.getByRole('button', { name: 'I stored the key' }).click();
    await inMenu(page, 'Agents').click();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    expect(asked).toHaveLength(2);
  });

  describe('when the session ends in another tab', () => {
    const ENDED = 'Log in to continue. What you entered is still here.';

    /** A page, and what logs out in another tab of the same browser. */
    async function openTabs(path: string) {
      chromium.tolerate(/401/);
      const context = await chromium.context();
      const page = await context.newPage();
      await logIn(page, gateway.url, path);
      const endSession = async () => {
        const other = await context.newPage();
        await other.goto(`${gateway.url}/dashboard/history`);
        await other.getByRole('button', { name: 'Log out' }).click();
        await page.getByText(ENDED).waitFor();
        await other.close();
      };
      return { page, endSession };
    }

    it('is hidden, and there again when the same person has logged in', async () => {
      const { page, endSession } = await openTabs(`/services/${gateway.service.id}/rules`);
      await page.getByRole('button', { name: 'New rule' }).first().click();
      const name = page.getByRole('dialog').getByLabel('Name', { exact: true });
      await name.fill('Refunds');
      const at = page.url();
      await endSession();
      expect([await name.isVisible(), await page.getByRole('navigation', { name: 'Main' }).isVisible()]).toEqual([
        false,
        false,
      ]);
      expect(page.url()).toBe(at);
      await enterPassword(page);
      await name.and(page.locator(':focus')).waitFor();
      expect([await name.inputValue(), page.url()]).toEqual(['Refunds', at]);
      await page.getByRole('dialog').getByRole('button', { name: 'Save rule' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByText('Refunds').first().waitFor();
    });

    it('is gone when another person logs in', async () => {
      await addMember(gateway, 'Bo', 'admin');
      const { page, endSession } = await openTabs('/agents/new');
      await page.getByLabel('Name').fill('secret-bot');
      await page.getByRole('button', { name: 'Create agent and show key' }).click();
      const key = await page.getByLabel('Agent key').inputValue();
      await endSession();
      expect(await page.getByLabel('Agent key').isVisible()).toBe(false);
      const { asked } = answers(page);
      await enterPassword(page, 'bo@example.com');
      await page.getByRole('heading', { name: 'New agent' }).waitFor();
      expect(await page.getByLabel('Agent key').count()).toBe(0);
      expect(await traces(page)).not.toContain(key);
      expect(asked).toEqual([]);
    });
  });
});
