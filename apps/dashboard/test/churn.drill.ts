import { setTimeout as delay } from 'node:timers/promises';
import type { ActionCounts, ActionPage } from '#contracts';
import type { Page } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { decision, logIn, STEADY_MS, UNREAD_MS, useChromium } from './support/browser.js';
import { seedActions } from './support/seed.js';

/**
 * People aim at something on screen and press the place where it was. Meanwhile five actions per second arrive, and
 * other people decide some of the waiting ones. `FULL=1` runs a thousand decisions.
 */
const DECISIONS = process.env.FULL === '1' ? 1000 : 24;
const PEOPLE = 3;
const INSERTS_PER_SECOND = 5;
/** This is more than in an inbox that people watch. */
const WAITING_MAX = 150;
/** People read longer than the page refuses decisions. */
const READING_MS = UNREAD_MS + 50;
/** The time between aiming and pressing. */
const REACTION_MS = 120;

const chromium = useChromium();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ JWT_ACCESS_EXPIRY: '2h' });
});
afterAll(() => gateway.close());

it(`makes none of ${DECISIONS} decisions about the wrong item while the list changes`, async () => {
  chromium.tolerate(/409/);
  let inserted = 40;
  await seedActions(gateway, inserted);
  const count = { decided: 0, refused: 0 };
  const done = () => count.decided >= DECISIONS;
  const inserting = (async () => {
    while (!done()) {
      await seedActions(gateway, 1, inserted++);
      const { pending } = await gateway.admin<ActionCounts>('GET /approvals/counts');
      if (pending > WAITING_MAX) await denyOldest();
      await delay(1000 / INSERTS_PER_SECOND);
    }
  })();
  const wrong: string[] = [];
  const people = Array.from({ length: PEOPLE }, async (_, who) => {
    const page = await chromium.page();
    await logIn(page, gateway.url);
    await page.locator('a[data-action-id]').first().waitFor();
    for (let attempt = who; !done(); attempt++) {
      const pill = page.getByRole('button', { name: /^Show \d+ new/ });
      if (attempt % 4 === 3 && (await pill.isVisible())) await pill.click();
      if (attempt % 2 === 1) await open(page, attempt);
      await decide(page, attempt);
    }
    await page.close();
  });

  async function denyOldest(): Promise<void> {
    const { items } = await gateway.admin<ActionPage>('GET /approvals?status=PENDING&sort=expiry&limit=1');
    for (const { action_id } of items) await gateway.tryAdmin(`PATCH /approvals/${action_id}/deny`, {});
  }

  /** Selects a row in the middle of the list. */
  async function open(page: Page, attempt: number): Promise<void> {
    // Read the row and its position together.
    const aimed = await page
      .locator('a[data-action-id]')
      .nth(1 + (attempt % 5))
      .evaluate(
        (link) => ({ id: link.dataset.actionId!, y: link.getBoundingClientRect().y, atMs: performance.now() }),
        null,
        { timeout: 500 },
      )
      .catch(() => null);
    if (!aimed) return;
    const pressed = await press(page, 400, aimed.y + 30);
    await page
      .waitForURL((url) => url.pathname.endsWith(aimed.id), { timeout: 1000 })
      .catch(async () => {
        // The list had just moved and refused the press, or it opened another row. The page may also open the next
        // action by itself now, because the previous one was decided.
        const { id, atMs } = await pressed();
        const isQuick = atMs - aimed.atMs < STEADY_MS;
        if (isQuick && id && page.url().endsWith(id)) wrong.push(`aimed at row ${aimed.id}, opened ${page.url()}`);
        else count.refused += 1;
      });
  }

  /**
   * Presses like a person who has just aimed. A busy machine may take longer to press; then a person would see the list
   * move first.
   * @returns what was pressed, and when, by the clock of the page
   */
  async function press(page: Page, x: number, y: number): Promise<() => Promise<{ id?: string; atMs: number }>> {
    await page.evaluate(`(() => {
      globalThis.pressed = { atMs: Infinity };
      const note = ({ target, timeStamp }) =>
        (globalThis.pressed = { id: target.closest('a[data-action-id]')?.dataset.actionId, atMs: timeStamp });
      document.addEventListener('click', note, { capture: true, once: true });
    })()`);
    await delay(REACTION_MS);
    await page.mouse.click(x, y);
    return () => page.evaluate<{ id?: string; atMs: number }>('globalThis.pressed');
  }

  async function decide(page: Page, attempt: number): Promise<void> {
    const button = attempt % 3 === 0 ? decision(page).deny : decision(page).approve;
    if (!(await button.isVisible())) {
      // Someone else decided it first. Continue with the next one.
      await page.keyboard.press('j');
      await delay(READING_MS);
      return;
    }
    await delay(READING_MS);
    // Read the open action and the position of the button together.
    const aimed = await page.evaluate<{ summary: string; x: number; y: number; atMs: number } | null>(
      `(() => {
        const bar = document.querySelector('[role=region][aria-label=Decision]');
        const button = [...(bar?.querySelectorAll('button') ?? [])].find(
          (each) => each.textContent.startsWith('${attempt % 3 === 0 ? 'Deny' : 'Approve'}'));
        if (!button) return null;
        const { x, y, width, height } = button.getBoundingClientRect();
        const summary = document.querySelector('article h1').textContent;
        return { summary, x: x + width / 2, y: y + height / 2, atMs: performance.now() };
      })()`,
    );
    if (!aimed) return;
    const sent = page
      .waitForResponse((response) => response.request().method() === 'PATCH', { timeout: 1500 })
      .catch(() => null);
    const pressed = await press(page, aimed.x, aimed.y);
    const response = await sent;
    // Nothing was sent: the action had just changed, and the page refused the press.
    if (!response) {
      count.refused += 1;
      return;
    }
    count.decided += 1;
    const id = /approvals\/([^/]+)\//.exec(response.url())![1];
    const [row] = await gateway.app.database.query<{ summary: string }[]>('SELECT summary FROM actions WHERE id = $1', [
      id,
    ]);
    const isQuick = (await pressed()).atMs - aimed.atMs < UNREAD_MS;
    if (isQuick && row.summary !== aimed.summary) wrong.push(`read ${aimed.summary}, decided ${row.summary}`);
    // The list closes the gap after the user's own decision. People aim after that.
    if (response.status() === 200) await page.locator(`a[data-action-id="${id}"]`).waitFor({ state: 'detached' });
  }

  await Promise.all([inserting, ...people]);
  if (process.env.FULL === '1')
    console.log(`${count.decided} decided, ${count.refused} presses refused, ${inserted} arrived`);
  expect(wrong).toEqual([]);
}, 3_600_000);
