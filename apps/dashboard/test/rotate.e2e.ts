import { SECRET, startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { logIn, useChromium } from './support/browser.js';
import { Human } from './support/human.js';

const chromium = useChromium();
let gateway: Gateway;
let other: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  other = await gateway.secondInstance();
});
afterAll(async () => {
  await other.app.close();
  await gateway.close();
});

const lastCredential = (): string | undefined => gateway.upstream.calls.at(-1)?.headers.authorization;

it('replaces a credential in four interactions, and every instance uses it from the next request', async () => {
  await gateway.proxy();
  await other.proxy();
  expect(lastCredential()).toBe(`Bearer ${SECRET}`);

  const page = await chromium.page();
  await logIn(page, gateway.url, `/services/${gateway.service.id}`);
  const human = new Human();
  await human.click(page.getByRole('link', { name: 'Credentials' }));
  await page.getByText('********').first().waitFor();
  expect(await page.getByText('********').count()).toBe(1);
  await human.click(page.getByRole('button', { name: 'Rotate' }));
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('textbox', { name: 'Token' }).inputValue()).toBe('');
  await dialog.getByText('support-bot uses this service. 2 requests in the last 24 hours.').waitFor();
  await human.fill(dialog.getByRole('textbox', { name: 'Token' }), 'sk-live-rotated');
  await human.click(dialog.getByRole('button', { name: 'Test and save' }));
  await dialog.getByText('next request uses the new values').waitFor();
  expect(human.taps).toBe(4);

  await gateway.proxy();
  expect(lastCredential()).toBe('Bearer sk-live-rotated');
  await other.proxy();
  expect(lastCredential()).toBe('Bearer sk-live-rotated');

  await dialog.getByText('The test passed: the API responded with 200').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByText('by Ada').waitFor();
});

describe('the previous credentials', () => {
  const rotate = async (grace?: string) => {
    const page = await chromium.page();
    const service = await gateway.createService({ name: 'Kept', baseUrl: `${gateway.upstream.url}/kept` });
    await logIn(page, gateway.url, `/services/${service.id}/credentials`);
    await page.getByRole('button', { name: 'Rotate' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Token' }).fill('sk-live-next');
    if (grace) await dialog.getByRole('radio', { name: grace }).check();
    await dialog.getByRole('button', { name: 'Test and save' }).click();
    await dialog.getByText('next request uses the new values').waitFor();
    return { page, dialog, service };
  };

  it('are put back after a confirmation, within the time that the user chose', async () => {
    const { page, dialog, service } = await rotate('7 days');
    await dialog.getByText(/The old credentials are kept until \w+/).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText(/\(6 days left\)|\(7 days left\)/).waitFor();
    await page.getByRole('button', { name: 'Revert' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revert credentials' }).click();
    await page.getByText('The previous credentials are in use again.').first().waitFor();
    await page.getByRole('button', { name: 'Revert' }).waitFor({ state: 'detached' });
    await gateway.admin(`POST /services/${service.id}/test`, {});
    expect(lastCredential()).toBe(`Bearer ${SECRET}`);
  });

  it('are deleted if the user wants that', async () => {
    const { page, dialog } = await rotate('Not at all');
    await dialog.getByText('The old credentials were deleted.').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('columnheader', { name: 'Last replaced' }).waitFor();
    expect(await page.getByRole('button', { name: 'Revert' }).count()).toBe(0);
  });
});

it('reminds of credentials that should be replaced', async () => {
  const service = await gateway.createService({ name: 'Yearly', baseUrl: `${gateway.upstream.url}/yearly` });
  const page = await chromium.page();
  await logIn(page, gateway.url, `/services/${service.id}/credentials`);
  await page.getByLabel('Rotate the credentials').selectOption('Every 30 days');
  await page.getByRole('button', { name: 'Save reminder' }).click();
  await page.getByText('Reminder saved.').first().waitFor();
  await page.getByText(/^Due .* \(in (30|29) days\)$/).waitFor();

  const rotated = (daysAgo: number) =>
    gateway.app.database.query(
      `UPDATE services SET credentials_rotated_at = now() - $2 * interval '24 hours' WHERE id = $1`,
      [service.id, daysAgo],
    );
  await rotated(25);
  await page.goto(`${gateway.url}/dashboard/services`);
  const row = page.getByRole('row', { name: 'Yearly' });
  await row.getByText(/^rotate within [45] days$/).waitFor();
  await rotated(33);
  await page.goto(`${gateway.url}/dashboard/status`);
  await page.getByText('Rotation overdue for 1 service').waitFor();
  await page.getByRole('link', { name: 'See these services' }).click();
  await row.getByText('rotation 3 days overdue').waitFor();
  // The heading and the one service that is due.
  expect(await page.getByRole('row').count()).toBe(2);
  await page.getByRole('switch', { name: 'Rotation due' }).click();
  await page.getByRole('row', { name: 'Shop' }).waitFor();
});

it('says before a rotation what it would remove', async () => {
  const service = await gateway.createService({
    name: 'Weather',
    baseUrl: `${gateway.upstream.url}/weather`,
    authType: 'api_key',
    credentials: { 'X-API-Key': 'first', 'X-Tenant': 'second' },
  });
  const page = await chromium.page();
  await logIn(page, gateway.url, `/services/${service.id}/credentials`);
  await page.getByRole('button', { name: 'Rotate' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Remove X-Tenant' }).click();
  await dialog.getByRole('textbox', { name: 'Key' }).fill('third');
  await dialog.getByText('Will be removed: X-Tenant').waitFor();
  await dialog.getByRole('button', { name: 'Test and save' }).click();
  await dialog.getByText('1 credential stored').waitFor();
});

describe('when the API refuses the new credentials', () => {
  const refuse = async () => {
    const service = await gateway.createService({ name: 'Guarded', baseUrl: `${gateway.upstream.url}/guarded` });
    const { apiKey } = await gateway.createAgent('guarded-bot', [service.id]);
    gateway.upstream.answer(({ headers }, response) =>
      response.writeHead(headers.authorization === `Bearer ${SECRET}` ? 200 : 401).end('{}'),
    );
    const page = await chromium.page();
    await logIn(page, gateway.url, `/services/${service.id}/credentials`);
    await page.getByRole('button', { name: 'Rotate' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Token' }).fill('sk-mistyped');
    await dialog.getByRole('button', { name: 'Test and save' }).click();
    await dialog.getByText('The API responded with 401: it rejects the new credentials.').waitFor();
    // Without a path, the base URL was asked.
    await dialog.getByText(`Asked: GET ${gateway.upstream.url}/guarded.`).waitFor();
    await dialog.getByText('The old credentials are still in use.').waitFor();
    const used = async () => {
      await gateway.proxy({ targetUrl: `${service.baseUrl}/x` }, { 'Agent-Key': apiKey });
      return lastCredential();
    };
    return { page, dialog, service, used };
  };

  it('keeps the old credentials, and agents continue to use them', async () => {
    const { page, dialog, used } = await refuse();
    await dialog.getByRole('button', { name: 'Keep old credentials' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await used()).toBe(`Bearer ${SECRET}`);
    // The credentials are those that the service was added with.
    await page.getByRole('columnheader', { name: 'Added' }).waitFor();
  });

  it('saves them if the user insists, and says that they were not tested', async () => {
    const { page, dialog, used } = await refuse();
    await dialog.getByRole('button', { name: 'Save anyway' }).click();
    await dialog.getByText('They were saved without a successful test.').waitFor();
    await page.getByText('The API rejected these credentials when they were tested last.').waitFor();
    expect(await used()).toBe('Bearer sk-mistyped');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('columnheader', { name: 'Last replaced' }).waitFor();
    await page.reload();
    await page.getByText('the API rejected 1 of the latest 1 request with 401 or 403. Before, it rejected 0').waitFor();
    await page.getByRole('link', { name: 'Services' }).first().click();
    const row = page.getByRole('row').filter({ hasText: 'more rejections' });
    await row.getByRole('button', { name: 'Revert' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revert credentials' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await used()).toBe(`Bearer ${SECRET}`);
  });
});
