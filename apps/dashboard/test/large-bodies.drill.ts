/** Held requests with bodies of megabytes. Bytes are counted here; `npm run pageweight` measures how long they take. */
import type { CDPSession, Page } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { decision, logIn, read, settled, useChromium } from './support/browser.js';

const KB = 1024;
const MB = 1024 * KB;

const chromium = useChromium();
let gateway: Gateway;
let largest: string;

const hold = async (serial: number, bytes: number): Promise<string> => {
  gateway.model.answer({ score: 0.6, explanation: 'writes a note' });
  const held = await gateway.hold({
    method: 'PUT',
    targetUrl: `${gateway.upstream.url}/v1/notes/${serial}`,
    headers: { 'Content-Type': 'application/json' },
    // Random text, because the line compresses the answers.
    body: JSON.stringify({ serial, text: randomText(bytes), last: 'the end of the note' }),
  });
  return held.action_id;
};

function randomText(bytes: number): string {
  let text = '';
  while (text.length < bytes) text += Math.random().toString(36).slice(2);
  return text.slice(0, bytes);
}

beforeAll(async () => {
  gateway = await startGateway();
  for (let serial = 1; serial < 40; serial++) await hold(serial, 60 * KB);
  largest = await hold(40, 9.9 * MB);
});
afterAll(() => gateway.close());

/** The bytes on the wire of the calls whose URL contains one of these texts. */
function countBytes(devtools: CDPSession): (part: string) => number {
  const urls = new Map<string, string>();
  const bytes = new Map<string, number>();
  devtools.on('Network.requestWillBeSent', ({ requestId, request }) => urls.set(requestId, request.url));
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => bytes.set(requestId, encodedDataLength));
  return (part) =>
    Array.from(urls)
      .filter(([, url]) => url.includes(part))
      .reduce((sum, [id]) => sum + (bytes.get(id) ?? 0), 0);
}

async function watchNetwork(page: Page): Promise<CDPSession> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  return devtools;
}

it('lists 40 of them, shows one of 10 MB, and decides it, without loading the bodies', async () => {
  const page = await chromium.page({ device: 'phone', movableClock: true });
  await logIn(page, gateway.url, '/approvals');
  await page.locator('a[data-action-id]').nth(39).waitFor();
  await page.goto('about:blank');
  const bytesOf = countBytes(await watchNetwork(page));

  await page.goto(`${gateway.url}/dashboard/approvals`);
  await page.locator('a[data-action-id]').nth(39).waitFor();
  expect(bytesOf('/approvals?')).toBeLessThan(100 * KB);

  await page.locator(`a[data-action-id="${largest}"]`).click();
  await decision(page).approve.waitFor();
  await page.getByText(/^This is the beginning of /).waitFor();
  await settled(page);
  await read(page);
  const opened = bytesOf(`/approvals/${largest}`);
  expect(opened).toBeLessThan(120 * KB);

  // Polls ask for the state only.
  for (let poll = 0; poll < 3; poll++) {
    const polled = page.waitForResponse((response) => response.url().includes(`${largest}?view=summary`));
    await page.clock.fastForward(10_000);
    await (await polled).finished();
  }
  expect(bytesOf(`/approvals/${largest}`) - opened).toBeLessThan(20 * KB);

  await decision(page).approve.click();
  await decision(page)
    .bar.getByText(/ Press again to approve\.$/)
    .waitFor();
  await page.clock.fastForward(500);
  await decision(page).approve.click();
  // Its risk is critical.
  await page.clock.fastForward(500);
  await decision(page).confirm.click();
  await page.getByText('Approved by Ada. The agent can run it now.').first().waitFor();
  expect(bytesOf(`/approvals/${largest}`) - opened).toBeLessThan(40 * KB);
  await gateway.execute(largest);
  const sent = JSON.parse(gateway.upstream.calls.at(-1)!.body.toString()) as { last: string };
  expect(sent.last).toBe('the end of the note');
});

it('loads all of a body once, when the person asks for it', async () => {
  const id = await hold(41, MB);
  const page = await chromium.page({ movableClock: true });
  const bytesOf = countBytes(await watchNetwork(page));
  await logIn(page, gateway.url, `/approvals/${id}`);
  await page.getByRole('button', { name: 'Show the whole body' }).click();
  await page.locator('article').getByText('“the end of the note”').waitFor();
  await settled(page);
  const loaded = bytesOf(`/approvals/${id}`);
  expect(loaded).toBeGreaterThan(0.5 * MB);
  const polled = page.waitForResponse((response) => response.url().includes(`${id}?view=summary`));
  await page.clock.fastForward(10_000);
  await (await polled).finished();
  await page.locator('article').getByText('“the end of the note”').waitFor();
  expect(bytesOf(`/approvals/${id}`) - loaded).toBeLessThan(20 * KB);
});
