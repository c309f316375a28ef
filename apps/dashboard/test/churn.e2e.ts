import { setTimeout as delay } from 'node:timers/promises';
import type { ActionPage } from '#contracts';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { logIn, read, useChromium } from './support/browser.js';
import { seedActions } from './support/seed.js';

/**
 * A person aims at what is on screen, and presses where it was when she aimed. Meanwhile five actions a second arrive, and somebody
 * else decides some of those that wait. `FULL=1`: a thousand decisions; else a tenth.
 */
const DECISIONS = process.env.FULL === '1' ? 1000 : 40;
const INSERTS_PER_SECOND = 5;
/** From aiming to pressing. */
const REACTION_MS = 120;

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

it(`puts none of ${DECISIONS} decisions on a wrong item while the list changes`, async () => {
  chromium.tolerate(/409/);
  await seedActions(gateway, 40);
  let inserted = 40;
  const churn = { running: true };
  const inserting = (async () => {
    while (churn.running) {
      await seedActions(gateway, 1, inserted++);
      await delay(1000 / INSERTS_PER_SECOND);
    }
  })();
  const others = (async () => {
    while (churn.running) {
      await delay(1500);
      await gateway.logInAgain();
      const { items } = await gateway.admin<ActionPage>('GET /approvals?status=PENDING&limit=5');
      const last = items.at(-1);
      if (last) await gateway.tryAdmin(`PATCH /approvals/${last.action_id}/deny`, {});
    }
  })();

  const page = await chromium.page();
  await logIn(page, gateway.url);
  await page.locator('a[data-action-id]').first().waitFor();
  const heading = page.locator('article h1');
  const wrong: string[] = [];
  let decided = 0;
  for (let attempt = 0; decided < DECISIONS; attempt++) {
    // Every few decisions: take in the newcomers, and aim at a row in the middle of the list.
    const pill = page.getByRole('button', { name: /^Show \d+ new/ });
    if (attempt % 4 === 3 && (await pill.isVisible())) await pill.click();
    if (attempt % 2 === 1) {
      const row = page.locator('a[data-action-id]').nth(1 + (attempt % 5));
      // What it is and where it is, in one look.
      // What it is and where it is, in one look.
      const aimed = await row
        .evaluate((link) => ({ id: link.dataset.actionId!, y: link.getBoundingClientRect().y }), null, { timeout: 500 })
        .catch(() => null);
      if (!aimed) continue;
      await delay(REACTION_MS);
      await page.mouse.click(400, aimed.y + 30);
      const opened = await page
        .waitForURL((url) => url.pathname.endsWith(aimed.id), { timeout: 3000 })
        .then(() => true)
        .catch(() => false);
      if (!opened) wrong.push(`aimed at row ${aimed.id}, opened ${page.url()}`);
    }
    const button = page.getByRole('region', { name: 'Decision' }).getByRole('button', {
      name: attempt % 3 === 0 ? 'Deny' : 'Approve',
      exact: true,
    });
    if (!(await button.isVisible())) {
      // Somebody else was faster: on to the next one.
      await page.keyboard.press('j');
      await read(page);
      continue;
    }
    await read(page);
    const [seen, at] = [await heading.textContent(), await button.boundingBox({ timeout: 500 }).catch(() => null)];
    if (!at) continue;
    const sent = page
      .waitForResponse((response) => response.request().method() === 'PATCH', { timeout: 5000 })
      .catch(() => null);
    await delay(REACTION_MS);
    await page.mouse.click(at.x + at.width / 2, at.y + at.height / 2);
    const response = await sent;
    // Not sent: what stood there had just changed, and the press was refused.
    if (!response) continue;
    decided += 1;
    const id = /approvals\/([^/]+)\//.exec(response.url())![1];
    const [row] = await gateway.app.database.query<{ summary: string }[]>('SELECT summary FROM actions WHERE id = $1', [
      id,
    ]);
    if (row.summary !== seen) wrong.push(`read ${seen}, decided ${row.summary}`);
    // One's own decision makes the list close up: nobody aims before it has.
    await page.locator(`a[data-action-id="${id}"]`).waitFor({ state: 'detached' });
  }
  churn.running = false;
  await Promise.all([inserting, others]);
  expect(wrong).toEqual([]);
}, 3_600_000);
