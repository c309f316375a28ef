import type { Channel, SlackLink } from '#contracts';
import type { Page } from 'playwright-core';
import { PASSWORD } from '../../api/test/support/accounts.js';
import { BOT, SlackGateway, tokenIn } from '../../api/test/support/slack-gateway.js';
import { ANA, pressed, type SlackUser } from '../../api/test/support/slack-hook.js';
import { BOT_TOKEN, SIGNING_SECRET, SLACK_CHANNEL, TEAM } from '../../api/test/support/slack.js';
import { pageWithAxe, settledViolations } from './support/axe.js';
import { logIn, useChromium } from './support/browser.js';
import { traces } from './support/traces.js';

const chromium = useChromium();
const PATH = '/settings/notifications';
const reach = new SlackGateway();
const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true });

/** The token in the link that Slack shows to a person who is not linked. */
async function linkToken(user: SlackUser): Promise<string> {
  await reach.hook(pressed('approve', await reach.held(), user));
  return tokenIn(reach.slack.ephemeral.at(-1)!);
}

beforeEach(() => {
  // Only administrators of the installation see the status; a link is refused until it is confirmed; a used one is
  // gone.
  chromium.tolerate(/403|410/);
});

it('links a Slack user after a comparison and a confirmation, and ends the link', async () => {
  const token = await linkToken({ ...ANA, username: 'ana\u202E' });
  const page = await chromium.page();
  // The person logs in first, and comes back to the link.
  await logIn(page, reach.gateway.url, `${PATH}#slack=${token}`);
  // The character that reverses the text is spelled out.
  await page.getByText('anaU+202E').first().waitFor();
  await page.getByText('Ada (ada@example.com)').waitFor();
  await page.getByText('will approve and deny requests as you').waitFor();
  await page.getByRole('button', { name: 'Link this Slack account' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('Your Slack account is linked.').first().waitFor();
  expect(page.url()).not.toContain(token);
  expect(await traces(page)).not.toContain(token);
  expect(await reach.gateway.admin<SlackLink[]>('GET /slack-links')).toHaveLength(1);
  await page.getByRole('heading', { name: 'Slack accounts that decide as you' }).waitFor();
  await page.getByRole('button', { name: /^Unlink ana/ }).click();
  await page.getByText('Unlinked.').first().waitFor();
  expect(await reach.gateway.admin<SlackLink[]>('GET /slack-links')).toEqual([]);
});

it('says when a link was used or is too old', async () => {
  const page = await chromium.page();
  await logIn(page, reach.gateway.url, `${PATH}#slack=${'0'.repeat(64)}`);
  await page.getByText('This link was used, has expired, or is for another workspace').waitFor();
  expect(await page.getByRole('button', { name: 'Link this Slack account' }).count()).toBe(0);
});

it('adds a Slack app, switches its buttons on, and shows the URL that Slack needs', async () => {
  await reach.gateway.admin(`DELETE /channels/${reach.channel.id}`);
  const page = await chromium.page();
  await logIn(page, reach.gateway.url, PATH);
  await page.getByRole('button', { name: 'Add Slack' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Send to Slack through').selectOption({ label: 'App' });
  await dialog.getByRole('textbox', { name: 'Bot token' }).fill('xoxb-another-token-of-nobody');
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await dialog.getByText('Enter all three.').first().waitFor();
  await dialog.getByRole('textbox', { name: 'Signing secret' }).fill(SIGNING_SECRET);
  await dialog.getByRole('textbox', { name: 'Channel ID' }).fill(SLACK_CHANNEL);
  chromium.tolerate(/400/);
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await dialog.getByText('botToken: Slack answered invalid_auth').waitFor();
  await dialog.getByRole('textbox', { name: 'Bot token' }).fill(BOT_TOKEN);
  expect(await dialog.getByRole('checkbox', { name: 'A request was approved or denied' }).count()).toBe(0);
  await dialog.getByLabel('Decide in Slack').selectOption({ label: 'Below 0.60' });
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await card(page, 'Slack').getByText('Members can decide in Slack below a risk of 0.60').waitFor();
  const [{ id, decideBelowRisk }] = await reach.gateway.admin<Channel[]>('GET /channels');
  expect(decideBelowRisk).toBe(0.6);
  await card(page, 'Slack').getByText(`https://gateway.example.com/hooks/slack/${id}`).waitFor();
  for (const secret of [BOT_TOKEN, SIGNING_SECRET]) expect(await traces(page)).not.toContain(secret);
  await card(page, 'Slack').getByRole('button', { name: 'Edit Slack' }).click();
  await dialog.getByText('Leave all three empty to keep them').waitFor();
  await dialog.getByLabel('Decide in Slack').selectOption({ label: 'Off' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await card(page, 'Slack').getByText('Members can decide in Slack').waitFor({ state: 'detached' });
  expect(await reach.gateway.admin<Channel>(`GET /channels/${id}`)).toMatchObject({
    decideBelowRisk: null,
    target: `Slack app, channel ${BOT.slackChannel}`,
  });
});

it.each(['desktop', 'phone'] as const)('has no violations and nothing too wide on a %s', async (device) => {
  await reach.link();
  const token = await linkToken({ id: 'U0BOB', username: 'bob', team_id: TEAM });
  const page = await pageWithAxe(chromium, device);
  const found: string[] = [];
  const look = async (what: string) => {
    found.push(...(await settledViolations(page, what)));
    const width = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (width > 0) found.push(`${what} is ${width} px too wide`);
  };
  await logIn(page, reach.gateway.url, `${PATH}#slack=${token}`);
  await page.getByRole('button', { name: 'Link this Slack account' }).waitFor();
  await look('link');
  await card(page, 'On call').getByRole('button', { name: 'Edit On call' }).click();
  await page.getByRole('dialog').getByLabel('Decide in Slack').waitFor();
  await look('form');
  expect(found).toEqual([]);
});
