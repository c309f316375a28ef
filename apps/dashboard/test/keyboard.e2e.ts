import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { pageWithAxe, violations } from './support/axe.js';
import { atOneMoment, decision, logIn, pressTwice, read, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const METHODS = ['DELETE', 'PUT', 'PATCH', 'POST', 'DELETE', 'PUT', 'PATCH', 'POST', 'DELETE', 'PUT'];

it('decides ten mixed actions by keyboard, with at most two keys each', async () => {
  const ids: string[] = [];
  for (const [index, method] of METHODS.entries()) {
    gateway.model.answer({ score: 0.6, explanation: 'changes something' });
    const held = await gateway.proxy(
      { method, targetUrl: `${gateway.upstream.url}/v1/customers/${index}`, body: '{}', intent: 'mixed' },
      { 'Idempotency-Key': `keyboard-${index}` },
    );
    ids.push(held.json<{ action_id: string }>().action_id);
  }
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url);
  const expected: Record<string, string> = {};
  let mostKeys = 0;
  for (let done = 0; done < ids.length; done++) {
    await page.getByText(`${ids.length - done} waiting for you`).waitFor();
    const id = await page.locator('a[data-action-id][aria-current]').getAttribute('data-action-id');
    const method = METHODS[ids.indexOf(id!)];
    await page.getByRole('heading', { name: new RegExp(`^${method} `) }).waitFor();
    await decision(page).approve.waitFor();
    let keys = 0;
    const press = async (key: string) => {
      keys += 1;
      await page.keyboard.press(key);
    };
    if (done % 3 !== 2 && method === 'DELETE') {
      await pressTwice(
        page,
        () => press('a'),
        () => press('a'),
      );
    } else {
      await read(page);
      if (done % 3 === 2) {
        await press('d');
        await page.keyboard.type('Not today');
        await press('Control+Enter');
      } else await press('a');
    }
    expected[id!] = done % 3 === 2 ? 'DENIED' : 'APPROVED';
    mostKeys = Math.max(mostKeys, keys);
    await page.locator(`a[data-action-id="${id}"]`).waitFor({ state: 'detached' });
  }
  await page.getByText('Nothing needs your decision.').waitFor();
  expect(mostKeys).toBe(2);
  const statuses = await Promise.all(
    ids.map(async (id) => [id, (await gateway.status(id)).json<{ status: string }>().status]),
  );
  expect(Object.fromEntries(statuses)).toEqual(expected);
});

it('opens every page, the palette and the list of shortcuts without a mouse', async () => {
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url);
  await page.getByRole('heading', { name: 'Approvals' }).waitFor();
  const pages = { h: 'history', s: 'services', g: 'agents', p: 'playground', t: 'settings', a: 'approvals' };
  for (const [letter, path] of Object.entries(pages)) {
    await atOneMoment(page, async () => {
      await page.keyboard.press('g');
      await page.keyboard.press(letter);
    });
    await page.waitForURL((url) => url.pathname.startsWith(`/dashboard/${path}`));
    // The focus moves to the heading of the new page.
    await page.locator('main h1:focus').waitFor();
  }
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await page.getByRole('option', { name: 'support-bot' }).waitFor();
  // Enter follows the last letter at once: it opens what was typed, also before the page has shown it.
  await page.keyboard.type('support-bot');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'support-bot' }).waitFor();
});

it('goes from the start of the page, and from the row of the open action, straight to the decision', async () => {
  await gateway.hold();
  const page = await pageWithAxe(chromium, 'desktop');
  await logIn(page, gateway.url);
  const bar = page.getByRole('region', { name: 'Decision' });
  await bar.getByRole('button', { name: 'Deny', exact: true }).waitFor();
  const [first, inList] = await page.getByRole('link', { name: 'Skip to the decision' }).all();
  await page.getByRole('link', { name: 'Skip to content' }).focus();
  await page.keyboard.press('Tab');
  await page.locator('#skip a:focus').waitFor();
  expect((await first.boundingBox())!.y).toBeGreaterThan(0);
  expect(await violations(page, 'skip link')).toEqual([]);
  await page.keyboard.press('Enter');
  await page.locator('#decision:focus').waitFor();
  await page.locator('a[data-action-id][aria-current]').focus();
  await page.keyboard.press('Tab');
  await page.locator('li a.skip:focus').waitFor();
  const { x, y } = (await inList.boundingBox())!;
  expect(Math.min(x, y)).toBeGreaterThan(0);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await bar.locator(':focus').count()).toBe(1);
  // What was decided has no such link.
  await page.keyboard.press('d');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Nothing needs your decision.').waitFor();
  expect(await page.getByRole('link', { name: 'Skip to the decision' }).count()).toBe(0);
});

it('ignores shortcuts while the user types', async () => {
  const { action_id } = await gateway.hold();
  const page = await chromium.page({ movableClock: true });
  await logIn(page, gateway.url);
  await page.getByRole('heading', { name: 'DELETE customer 42' }).waitFor();
  await decision(page).approve.waitFor();
  await read(page);
  await page.getByRole('searchbox').or(page.getByLabel('Search')).first().click();
  await page.keyboard.type('a');
  await page.keyboard.type('aad');
  expect(await page.getByRole('button', { name: /^Confirm/ }).count()).toBe(0);
  expect((await gateway.status(action_id)).json()).toMatchObject({ status: 'PENDING' });
});

it('ignores letters until the palette has loaded, so that none of them decides', async () => {
  gateway.model.answer({ score: 0.6, explanation: 'changes something' });
  await gateway.proxy(
    { method: 'POST', targetUrl: `${gateway.upstream.url}/v1/customers/90`, body: '{}', intent: 'mixed' },
    { 'Idempotency-Key': 'keyboard-90' },
  );
  const page = await chromium.page();
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/palette-[^/]*\.js$/, async (route) => {
    await released;
    await route.continue();
  });
  await logIn(page, gateway.url);
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  const note = page.getByLabel('Tell the agent why, or what to do instead');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('d');
  release();
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  expect(await note.count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.type('d');
  await note.waitFor();
});

it('opens a dialog on its first field, or on the button that it is for, not on the one that closes it', async () => {
  const { action_id: id } = await gateway.hold({ method: 'PUT', body: '{"name":"Bo"}' });
  await gateway.admin('POST /auth/tokens', { name: 'Export', workspaceId: 1, role: 'auditor', expiresInMinutes: 60 });
  const page = await chromium.page();
  await logIn(page, gateway.url);
  const service = `/services/${gateway.service.id}`;
  for (const [path, opener, role, name] of [
    [`/approvals/${id}`, 'Edit and approve', 'textbox', 'name'],
    [`${service}/rules`, 'New rule', 'radio', 'Ask'],
    [`${service}/credentials`, 'Rotate', 'textbox', 'Token'],
    [`${service}/overview`, 'Delete service', 'textbox', 'Type Shop to confirm'],
    [`/agents/${gateway.agent.id}/overview`, 'Rotate key', 'button', 'Rotate now'],
    ['/settings/notifications', 'Add webhook', 'textbox', 'URL'],
    ['/settings/notifications', 'Add Slack', 'combobox', 'Send to Slack through'],
    ['/settings/tokens', 'Revoke Export', 'button', 'Cancel'],
  ] as const) {
    await page.goto(`${gateway.url}/dashboard${path}`);
    await page.getByRole('button', { name: opener }).first().click();
    const first = page.getByRole('dialog').getByRole(role, { name });
    await first.and(page.locator(':focus')).waitFor();
  }
  // The dialog with the new key takes the place of the one that asks.
  await page.goto(`${gateway.url}/dashboard/agents/${gateway.agent.id}/overview`);
  await page.getByRole('button', { name: 'Rotate key' }).click();
  await page.getByRole('button', { name: 'Rotate now' }).click();
  await page.getByLabel('Agent key').and(page.locator(':focus')).waitFor();
});
