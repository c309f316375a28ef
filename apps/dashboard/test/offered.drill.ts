import type { Role } from '#contracts';
import type { Page } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { follow, logIn, useChromium } from './support/browser.js';
import { addMember } from './support/people.js';
import { furnish, routes } from './support/routes.js';

const chromium = useChromium();
let gateway: Gateway;
let actionId: string;

beforeAll(async () => {
  gateway = await startGateway();
  actionId = await furnish(gateway);
});
afterAll(() => gateway.close());

/** Controls that change nothing in the workspace: they find, show, copy and export. */
const READING = [
  /^(Go to anything|Log out|Filters|Search|Find |Sort$|Rotation due$|Day or range…$|Export$|Load more$|Show |Service$)/,
  /^(24 h|7 d|30 d)$/,
  // The filters of the history.
  /^(Outcome|Decided by|Agent|Method|Upstream status|Observed rule|Request ID)$/,
  // The charts, and a history without finds.
  /^(As table|Try another threshold|Clear filters)/,
  /^Copy( |$)/,
  /^\d+ headers?$/,
  // A record of the history.
  /^\d\d:\d\d:\d\d /,
  /^(Approved|Denied) request: /,
  // The effects of a request: they show their reasons.
  /^What it does: /,
  // The languages of the snippets.
  /^(curl|TypeScript|Python|MCP|SKILL\.md|\.env)$/,
];
const DECIDING = [
  // Approvers pause all agents, and end their own pauses.
  /^Pause all agents$/,
  /^(Select|Deny|Deny with a note|Approve|Approve and allow similar|Edit and approve|Undo|Deny instead)( [AD])?$/,
];

/** Pages where people change their own account, and pages that explain whom to ask instead of showing controls. */
const OWN = /^\/settings\//;

/** The labels of everything that can be pressed or filled in. */
const controls = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll(':is(main, nav) :is(button, input, select, textarea)')]
    .filter((each) => each.checkVisibility())
    .map((each) => (each.getAttribute('aria-label') || each.labels?.[0]?.innerText || each.innerText || each.placeholder || each.type)
      .trim().replace(/\\s+/g, ' '))`);

const links = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('a[href^="/dashboard"]')].map((each) => each.getAttribute('href'))`,
  );

it.each<[Role, RegExp[], RegExp | null]>([
  ['auditor', READING, /^\/dashboard\/(setup|playground|services\/new|agents\/new)/],
  ['approver', [...READING, ...DECIDING], /^\/dashboard\/(setup|playground|services\/(new|\d)|agents)/],
  ['admin', [/./], null],
])('offers an %s nothing that the gateway would refuse', async (role, harmless, closed) => {
  await addMember(gateway, role, role);
  const page = await chromium.page();
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
  });
  await logIn(page, gateway.url, '/approvals', `${role}@example.com`);
  const offered: string[] = [];
  let seen = 0;
  for (const path of [...routes(gateway, actionId), '/setup']) {
    await follow(page, path);
    const found = OWN.test(path) ? [] : await controls(page);
    seen += found.length;
    offered.push(
      ...found.filter((label) => !harmless.some((each) => each.test(label))).map((label) => `${path}: ${label}`),
      ...(await links(page)).filter((href) => closed?.test(href)).map((href) => `${path}: link to ${href}`),
    );
  }
  expect(seen).toBeGreaterThan(50);
  expect(offered).toEqual([]);
  expect(refused).toEqual([]);
});
