/** Texts that a request carries in base64: the page shows what they say, and what was sent. */
import type { Page } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { decision, logIn, settled, useChromium } from './support/browser.js';
import { pageWithAxe, violations } from './support/axe.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const base64 = (text: string): string => Buffer.from(text).toString('base64');

let asked = 0;
async function open(body: object | string, path: string, type = 'application/json'): Promise<Page> {
  asked += 1;
  const { action_id } = await gateway.hold({
    method: 'POST',
    targetUrl: `${gateway.upstream.url}${path}`,
    headers: { 'Content-Type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    idempotencyKey: `decoded-${asked}`,
  });
  const page = await pageWithAxe(chromium, { width: 1280, height: 1400 }, { movableClock: true });
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  await settled(page);
  await decision(page).approve.waitFor();
  return page;
}

it('shows to whom a mail goes, its subject, and what it says, below what is sent', async () => {
  const mail = [
    ...['MIME-Version: 1.0', 'Content-Type: text/plain; charset="utf-8"', 'Content-Transfer-Encoding: base64'],
    ...['To: Ada <ada@example.com>', 'Bcc: eve@example.com', 'Subject: =?utf-8?b?R3LDvMOfZQ==?='],
    ...['', base64('Pay to \u202Ethe new\u200B account. <b onclick="alert(1)">Now</b>')],
  ].join('\n');
  const raw = Buffer.from(mail).toString('base64url');
  const page = await open({ raw }, '/v1/users/me/messages/send');
  await page.getByRole('heading', { name: 'Send a mail to ada@example.com, eve@example.com: Grüße' }).waitFor();
  const card = page.locator('article');
  await card.getByText(raw.slice(0, 60)).waitFor();
  await card.getByText('To: Ada <ada@example.com>').first().waitFor();
  await card.getByText('Bcc: eve@example.com').first().waitFor();
  await card.getByText('Subject: Grüße').waitFor();
  await card.getByText('<b onclick="alert(1)">Now</b>').waitFor();
  await card.getByText('Contains 1 hidden character, 1 character that reverses text direction.').waitFor();
  await card.getByText('U+202E').waitFor();
  expect(await card.locator('pre b').count()).toBe(0);
  expect(await violations(page, 'decoded mail')).toEqual([]);
});

it('counts a long value as seen when all of its decoded text was on the screen, and not before', async () => {
  const lines = Array.from({ length: 30 }, (_, index) => `Line ${index + 1} of the file.`);
  const page = await open({ message: 'Update', content: base64(lines.join('\n')) }, '/v1/contents/README.md');
  const card = page.locator('article');
  await card.getByText('Line 8 of the file.').waitFor();
  expect(await card.getByText('Line 9 of the file.').count()).toBe(0);
  await page.clock.fastForward(2000);
  await decision(page).bar.getByText('1 field was not on the screen').waitFor();
  const more = card.getByRole('button', { name: `… ${lines.join('\n').length} characters decoded` });
  await more.click();
  await card.getByText('Line 30 of the file.').waitFor();
  await page.clock.fastForward(2000);
  await decision(page).bar.getByText('1 field').waitFor({ state: 'detached' });
  await card.getByRole('button', { name: 'Show less' }).click();
  await card.getByText('Line 30 of the file.').waitFor({ state: 'detached' });
});

it('decodes values of a secret, of a form and of a query, a text that is one value, and nothing else', async () => {
  const secret = {
    data: { user: base64('admin'), password: base64('hunter2'), id: 'cus_NffrFeUfNV2Hib', word: 'Authorization' },
  };
  const json = await open(secret, '/v1/secrets');
  await json.locator('article').getByText('hunter2').waitFor();
  await json.locator('article').getByText('admin', { exact: true }).waitFor();
  expect(await json.locator('article').getByText('decoded:').count()).toBe(2);

  const form = `Message=${encodeURIComponent(base64('A message in a form'))}`;
  const pairs = await open(
    form,
    `/v1/sends?q=${encodeURIComponent(base64('A query in base64'))}`,
    'application/x-www-form-urlencoded',
  );
  await pairs.locator('article').getByText('A message in a form').waitFor();
  await pairs.locator('article').getByText('A query in base64').waitFor();

  const text = await open(base64('A whole body in base64'), '/v1/sendMail', 'text/plain');
  await text.locator('article').getByText('A whole body in base64').waitFor();
});

it('decodes no more than a part of a body that has very much of it, and says so', async () => {
  const values = Array.from({ length: 16 }, (_, index) => base64(`${index} Hello `.repeat(9_000)));
  const page = await open({ values }, '/v1/files');
  await page.getByRole('button', { name: 'Show the whole body' }).click();
  await page.locator('article').getByText('decoded, the first 64 kB:').first().waitFor();
  await page
    .locator('article')
    .getByText('It is not decoded, because the request has too much of it.')
    .first()
    .waitFor();
});
