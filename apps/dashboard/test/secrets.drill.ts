import { PASSWORD } from '../../api/test/support/accounts.js';
import { SECRET, startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { follow, logIn, settled, useChromium } from './support/browser.js';
import { furnish, routes } from './support/routes.js';
import { traces } from './support/traces.js';

const chromium = useChromium();
let gateway: Gateway;
let actionId: string;

beforeAll(async () => {
  gateway = await startGateway();
  actionId = await furnish(gateway);
});
afterAll(() => gateway.close());

it('leaves no secret in pages, storage or URLs', async () => {
  chromium.tolerate(/404/);
  const context = await chromium.context();
  const page = await context.newPage();
  const urls: string[] = [];
  const tokens = new Set<string>();
  page.on('framenavigated', (frame) => urls.push(frame.url()));
  context.on('request', (request) => urls.push(request.url()));
  await context.route(/\/auth\/(login|refresh)$/, async (route) => {
    const response = await route.fetch();
    tokens.add(((await response.json()) as { accessToken: string }).accessToken);
    await route.fulfill({ response });
  });
  await logIn(page, gateway.url);
  const seen: string[] = [];
  for (const [index, path] of routes(gateway, actionId).entries()) {
    await follow(page, path);
    seen.push(await traces(page));
    // Each load of the dashboard renews the access token.
    if (index % 4 === 0) {
      await page.reload();
      await settled(page);
      seen.push(await traces(page));
    }
  }
  const cookies = await context.cookies();
  expect(cookies.map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite }))).toEqual([
    { httpOnly: true, sameSite: 'Strict' },
  ]);
  const secrets = [SECRET, gateway.agentKey, PASSWORD, ...tokens, ...cookies.map(({ value }) => value)];
  expect(secrets.length).toBeGreaterThan(10);
  const text = [...seen, ...urls].join('\n');
  expect(text).toContain('support-bot');
  for (const secret of secrets) expect(text.includes(secret)).toBe(false);
});
