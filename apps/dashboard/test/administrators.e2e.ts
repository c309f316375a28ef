import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { pageWithAxe, settledViolations } from './support/axe.js';
import { logIn, useChromium } from './support/browser.js';
import { addMember } from './support/people.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ PRIVATE_TARGET_ACCESS: 'admins' });
});
afterAll(() => gateway.close());

it('names and removes administrators of the installation, who see its status from then on', async () => {
  await addMember(gateway, 'Bo', 'auditor');
  const page = await chromium.page();
  await logIn(page, gateway.url, '/status');
  const people = page.getByRole('table', { name: 'Installation administrators' });
  await people.getByRole('row', { name: /Ada.*The first account/ }).waitFor();
  await expect(people.getByRole('button').count()).resolves.toBe(0);
  await page.getByRole('combobox', { name: 'Member of this workspace' }).click();
  await page.getByRole('option', { name: 'Bo (bo@example.com)' }).click();
  await page.getByRole('button', { name: 'Make administrator' }).click();
  const dialog = page.getByRole('dialog', { name: 'Make Bo an administrator of this installation?' });
  await dialog.getByRole('button', { name: 'Make administrator' }).click();
  await people.getByRole('row', { name: /Bo.*Named by an administrator/ }).waitFor();
  await page.getByText('All members of this workspace are already administrators.').waitFor();

  const bos = await chromium.page({ device: 'phone' });
  await logIn(bos, gateway.url, '/status', 'bo@example.com');
  await bos.getByRole('heading', { name: 'Installation administrators' }).waitFor();
  // Bo removes himself from the administrators.
  await bos.getByRole('button', { name: 'Remove Bo from the installation administrators' }).click();
  await bos.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await bos.getByText('Only installation administrators see this page.', { exact: false }).waitFor();
  await bos.getByRole('button', { name: 'More' }).click();
  await bos.getByRole('dialog').getByText('Settings').waitFor();
  await expect(bos.getByRole('link', { name: 'Status' }).count()).resolves.toBe(0);
});

it('allows a workspace to use private targets, found by its name among many', async () => {
  for (let n = 0; n < 21; n++) await gateway.admin('POST /workspaces', { name: `Team ${n}` });
  const page = await chromium.page();
  await logIn(page, gateway.url, '/status');
  const table = page.getByRole('table', { name: 'Workspaces' });
  await table.getByRole('row', { name: /Ada's workspace/ }).waitFor();
  // The first workspace may use private targets from the start.
  await expect(table.getByRole('switch', { name: "Ada's workspace can" }).isChecked()).resolves.toBe(true);
  await expect(table.getByRole('row').count()).resolves.toBe(21);
  await page.getByRole('button', { name: 'Load more' }).click();
  await table.getByRole('row', { name: /Team 20/ }).waitFor();
  await page.getByRole('searchbox', { name: 'Find a workspace' }).fill('team 7');
  await table.getByRole('row', { name: /Ada's/ }).waitFor({ state: 'detached' });
  const allowed = table.getByRole('switch', { name: 'Team 7 can use private targets' });
  await allowed.click({ force: true });
  await page.getByText('Team 7 can now use private targets.').first().waitFor();
  await expect(allowed.isChecked()).resolves.toBe(true);
  await page.reload();
  await page.getByRole('searchbox', { name: 'Find a workspace' }).fill('team 7');
  await expect(allowed.isChecked()).resolves.toBe(true);
});

it('offers no choice of workspaces where the configuration allows all of them', async () => {
  const open = await startGateway({ PRIVATE_TARGET_ACCESS: 'all' });
  try {
    const page = await chromium.page();
    await logIn(page, open.url, '/status');
    await page.getByText('PRIVATE_TARGET_ACCESS=all: services of every workspace', { exact: false }).waitFor();
    await expect(page.getByRole('switch').count()).resolves.toBe(0);
    // An open page would report an error, because its gateway has stopped.
    await page.close();
  } finally {
    await open.close();
  }
});

it('tests the model with one question, and says what the answer is worth', async () => {
  const page = await pageWithAxe(chromium, 'phone');
  await logIn(page, gateway.url, '/status');
  const test = page.getByRole('button', { name: 'Test', exact: true });
  gateway.model.answer({ score: 0.93, explanation: 'It deletes a customer.' });
  await test.click();
  await page.getByText(/^It answered in .* with the score 0\.93\.$/).waitFor();
  await page.getByText('“It deletes a customer.”').waitFor();
  gateway.model.answer({ score: 0.1, explanation: 'Harmless.' });
  await test.click();
  await page.getByText(/^The request deletes a customer and claims to read one\./).waitFor();
  gateway.model.answer('reset');
  await test.click();
  await page.getByText(/^It gave no verdict: model server could not be reached/).waitFor();
  expect(await settledViolations(page, 'a tested model')).toEqual([]);
});
