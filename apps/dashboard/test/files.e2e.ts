/** Bodies that are files: they are opened without scripts and without the network, and count as seen only then. */
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { violations, pageWithAxe } from './support/axe.js';
import { decision, logIn, read, settled, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const HOSTILE = '<script>document.title = "owned"; fetch("/owned")</script><img src=/owned onerror="alert(1)">';

/** The check sum of PNG. `zlib.crc32` is missing in Node.js 20. */
function crc32(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return ~sum >>> 0;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A grey image that is also a page: HTML in a comment, and behind the end. */
function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const rows = Buffer.alloc(Math.min(height, 100) * (Math.min(width, 100) + 1), 0);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('tEXt', Buffer.from(`Comment\0${HOSTILE}`)),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
    Buffer.from(HOSTILE),
  ]);
}

let asked = 0;
async function open(body: Buffer | string, type: string): Promise<Page> {
  asked += 1;
  gateway.model.answer({ score: 0.6, explanation: 'uploads a file' });
  const sent = typeof body === 'string' ? { body } : { body: undefined, bodyBase64: body.toString('base64') };
  const { action_id } = await gateway.hold({
    method: 'POST',
    targetUrl: `${gateway.upstream.url}/v1/files`,
    headers: { 'Content-Type': type },
    idempotencyKey: `file-${asked}`,
    ...sent,
  });
  const page = await pageWithAxe(chromium, 'phone', { movableClock: true });
  page.on('dialog', () => {
    throw new Error('a script of the body has run');
  });
  page.on('request', (request) => {
    if (request.url().includes('owned')) throw new Error('the body has made a request');
  });
  await logIn(page, gateway.url, `/approvals/${action_id}`);
  await settled(page);
  await decision(page).approve.waitFor();
  await read(page);
  return page;
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const unseen = (page: Page) => decision(page).bar.getByText('Part of the body was not on the screen');

it('opens an image that is also a page only as an image, and counts it as seen only when it is open', async () => {
  const page = await open(png(40, 30), 'application/octet-stream');
  await unseen(page).waitFor();
  await page.getByText('PNG image, 40 × 30 pixels').waitFor();
  expect(await page.locator('article img').count()).toBe(0);
  await press(page, 'Show the image');
  const image = page.getByRole('img', { name: 'The image in the body' });
  await image.scrollIntoViewIfNeeded();
  const natural = ({ naturalWidth, naturalHeight }: Record<string, unknown>) => [naturalWidth, naturalHeight];
  expect(await image.evaluate(natural)).toEqual([40, 30]);
  expect(await image.getAttribute('src')).toMatch(/^data:image\/png;base64,/);
  await page.clock.fastForward(800);
  await unseen(page).waitFor({ state: 'detached' });
  expect(await page.title()).not.toContain('owned');
  expect(await violations(page, 'image')).toEqual([]);
  await press(page, 'Show the bytes');
  await page.getByText(/^000000 {2}89 50 4e 47/).waitFor();
  expect(await page.locator('article img').count()).toBe(0);
});

it('goes to an image that was not opened with the first press of Approve', async () => {
  const page = await open(png(40, 30), 'image/png');
  await unseen(page).waitFor();
  await decision(page).approve.click();
  await decision(page)
    .bar.getByText(/ Press again to approve\.$/)
    .waitFor();
  const show = page.getByRole('button', { name: 'Show the image' });
  const box = (await show.boundingBox())!;
  expect(box.y + box.height).toBeLessThan((await decision(page).bar.boundingBox())!.y);
});

it.each([
  ['has too many pixels', png(60_000, 60_000)],
  ['has no pixels', png(0, 30)],
  ['has no header', png(40, 30).subarray(0, 12)],
  // Browsers show the part that they have.
  ['is cut off', png(40, 30).subarray(0, png(40, 30).indexOf('IDAT') + 12)],
])('does not offer to open an image that %s', async (_what, bytes) => {
  const page = await open(bytes, 'image/png');
  await page.getByText(/^This image is not opened: /).waitFor();
  expect(await page.getByRole('button', { name: 'Show the image' }).count()).toBe(0);
  await unseen(page).waitFor();
});

it('does not count an image as seen that the browser cannot show', async () => {
  const bytes = png(40, 30);
  // There are no seven bits in a pixel.
  bytes[bytes.indexOf('IHDR') + 12] = 7;
  const page = await open(bytes, 'image/png');
  await press(page, 'Show the image');
  await page.getByText('The browser cannot show this image.').waitFor();
  expect(await page.locator('article img').count()).toBe(0);
  await page.clock.fastForward(800);
  await unseen(page).waitFor();
});

it.each([
  ['SVG', 'image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${HOSTILE}</svg>`],
  ['SVG that is named as another image', 'image/png', `<svg xmlns="http://www.w3.org/2000/svg">${HOSTILE}</svg>`],
  ['HTML', 'text/html', `<!doctype html>${HOSTILE}`],
])('shows %s only as a text', async (_what, type, body) => {
  const page = await open(body, type);
  await page.getByText(body).first().waitFor();
  expect(await page.locator('article img, article iframe, article object, article svg[onload]').count()).toBe(0);
  expect(await page.title()).not.toContain('owned');
});

it('reads a text in the charset of its type, with the characters that nobody sees', async () => {
  const page = await open(Buffer.from(`caf\xe9\x01${HOSTILE}`, 'latin1'), 'text/html; charset=ISO-8859-1');
  await unseen(page).waitFor();
  await page.getByText('Text in the charset windows-1252').waitFor();
  await press(page, 'Show the text');
  await page.getByText(`caféU+0001${HOSTILE}`).waitFor();
  await page.clock.fastForward(800);
  await unseen(page).waitFor({ state: 'detached' });
  expect(await page.title()).not.toContain('owned');
});

it('only downloads a PDF, under a name of its own', async () => {
  const body = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.from([0xff, 0xfe]), Buffer.from(HOSTILE)]);
  const page = await open(body, 'application/pdf; name="../../evil.exe"');
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download the PDF')]);
  expect(download.suggestedFilename()).toBe('body.pdf');
  expect(readFileSync(await download.path())).toEqual(body);
  await unseen(page).waitFor();
});

it('counts other bytes as seen when all of them were on the screen', async () => {
  const short = await open(Buffer.from([0, 255, 1]), 'application/octet-stream');
  await short.clock.fastForward(800);
  await unseen(short).waitFor({ state: 'detached' });
  const long = await open(Buffer.alloc(4000, 0xff), 'application/octet-stream');
  await long.clock.fastForward(800);
  await unseen(long).waitFor();
});
