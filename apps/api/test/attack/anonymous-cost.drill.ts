/**
 * Nothing that a caller without a credential can ask costs the gateway much more CPU than `/health`. The test asks the
 * built gateway, and reads the CPU time of its process.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  filledHeaders,
  forwardedLists,
  hashedPasswords,
  heavyBodies,
  heavyHeads,
  oddPaths,
  request,
  slackCalls,
  unknownInvitation,
  withTokens,
  type AnonymousRequest,
} from '../corpus/anonymous-requests.js';
import { strangeHeads } from '../corpus/malformed.js';
import { apiRoutes, type ApiRoute } from '../support/api-routes.js';
import { MeteredGateway } from '../support/cpu-costs.js';
import { lowest } from '../support/lowest.js';
import { startOpenIdProvider, type OpenIdProviderProcess } from '../support/openid-provider.js';
import { PUBLIC_URL, SlackGateway } from '../support/slack-gateway.js';

/**
 * The costliest request costs about 16 times as much as `/health`: 1 MB is received and read once. To hash a password
 * costs about 75 times as much.
 */
const RATIO_MAX = 30;
/** Without COSTLIEST=<n>, which prints the n costliest requests, one measurement is enough if it is below the limit. */
const ENOUGH = process.env.COSTLIEST ? 3 : RATIO_MAX;

/** It has an account and a channel of a Slack bot, whose endpoint reads bodies. The measured gateway shares its database. */
const slack = new SlackGateway();
let provider: OpenIdProviderProcess;
let metered: MeteredGateway;
let routes: ApiRoute[];
const measured: { name: string; ratio: number; milliseconds: number }[] = [];

beforeAll(async () => {
  provider = await startOpenIdProvider(`${PUBLIC_URL}/auth/oidc/callback`);
  metered = await MeteredGateway.start({
    ...provider.settings,
    DATABASE_URL: slack.gateway.app.databaseUrl,
    ALLOW_REGISTRATION: 'true',
    PUBLIC_URL,
    // Behind a proxy, as usual, the headers of proxies are read too.
    TRUST_PROXY: '1',
  });
  routes = await apiRoutes(metered.gateway);
});
afterAll(async () => {
  await metered?.stop();
  await provider?.close();
  const costliest = measured.sort((a, b) => b.ratio - a.ratio).slice(0, Number(process.env.COSTLIEST ?? 0));
  if (costliest.length > 0) console.log(`The costliest of ${measured.length}:`, costliest);
});

async function check(requests: AnonymousRequest[], of = metered): Promise<void> {
  const costly: object[] = [];
  for (const each of requests) {
    const measure = async (): Promise<number> => {
      const cost = await of.compare(each, ENOUGH);
      measured.push({ name: each.name, ...cost });
      return cost.ratio;
    };
    // The machine may be busy during one comparison.
    const ratio = await lowest(measure, RATIO_MAX);
    if (ratio > RATIO_MAX) costly.push({ name: each.name, ratio });
  }
  expect(costly).toEqual([]);
}

const plainPath = ({ path }: ApiRoute): string => path.replace(/\{\w+\}/g, '1');
const open = (method: string): ApiRoute[] => routes.filter((route) => route.guard === null && route.method === method);

it('no endpoint of /openapi.json costs much without a credential or with a false one', async () => {
  const bodies = { GET: undefined, DELETE: undefined, POST: '{}', PUT: '{}', PATCH: '{}' };
  expect(routes.length).toBeGreaterThan(60);
  await check(
    routes.flatMap((route) => [
      request(route.method, plainPath(route), '', bodies[route.method]),
      request(route.method, plainPath(route), `Authorization: Bearer ${'x'.repeat(15_000)}\r\n`, bodies[route.method]),
    ]),
  );
});

it('no page, document or asset costs much', async () => {
  const paths = [
    '/',
    '/docs',
    '/docs/',
    '/docs/x',
    '/openapi.json',
    '/openapi.yaml',
    '/dashboard',
    '/dashboard/',
    '/dashboard/any/page',
    '/robots.txt',
    '/favicon.ico',
    '/.well-known/oauth-protected-resource',
  ];
  const page = await (await fetch(`${metered.gateway.url}/docs`)).text();
  const ofPage = [...page.matchAll(/(?:href|src)="\.?\/?([^"]+)"/g)].map(
    ([, path]) => new URL(path, `${metered.gateway.url}/`).pathname,
  );
  expect(ofPage.length).toBeGreaterThan(2);
  const built = join(process.cwd(), 'dist');
  const files = readdirSync(join(built, 'dashboard'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(built.length));
  await check(
    [...paths, ...ofPage, ...files].flatMap((path) =>
      ['', 'Accept-Encoding: gzip, br\r\n'].map((headers) => request('GET', path, headers)),
    ),
  );
});

it('no request body costs much on an endpoint that reads it without a credential', async () => {
  const reading = open('POST');
  expect(reading.length).toBeGreaterThan(4);
  await check(reading.flatMap((route) => heavyBodies(plainPath(route))));
  await check([...slackCalls(slack.channel.id), unknownInvitation()]);
});

it('no head costs much: queries, cookies, lists, paths, malformed ones', async () => {
  await check(open('GET').flatMap((route) => heavyHeads(plainPath(route))));
  await check(['/dashboard/', '/docs', '/openapi.json', '/services', '/s/x/y'].flatMap(heavyHeads));
  await check(oddPaths());
  await check(strangeHeads({ accessToken: 'x', apiKey: 'agt_x' }).filter(({ mayBeSilent }) => !mayBeSilent));
});

it('no header that is read costs much, whatever fills it', async () => {
  await check(filledHeaders());
  await check(forwardedLists());
});

it('no list of proxies costs much, even if the gateway trusts every address in it', async () => {
  const behind = await MeteredGateway.start({ DATABASE_URL: slack.gateway.app.databaseUrl, TRUST_PROXY: 'loopback' });
  try {
    await check(forwardedLists(), behind);
  } finally {
    await behind.stop();
  }
});

it('no false token or agent key costs much', async () => {
  await check(['/services', '/proxy', '/s/x/y', '/mcp', '/SKILL.md', '/events'].flatMap(withTokens));
});

/**
 * The one exception: a hash must be costly for whoever guesses passwords. Limits per account and address bound logins,
 * and a few hashes at a time bound everything else (docs/trust.md). It runs in threads, so that others need not wait.
 */
it('a password that is hashed costs the main thread little', async () => {
  for (const each of hashedPasswords()) {
    const { ratio } = await metered.compare(each, RATIO_MAX, 'mainThread');
    expect([each.name, ratio > RATIO_MAX]).toEqual([each.name, false]);
  }
});

it('the measurement notices a costly answer', async () => {
  const [costly] = hashedPasswords();
  const cost = await metered.compare(costly, 0);
  measured.push({ name: costly.name, ...cost });
  expect(cost.ratio).toBeGreaterThan(RATIO_MAX);
});
