// @ts-nocheck The provider has no types here; the test checks that it runs.
/**
 * A real OAuth 2 provider (oidc-provider) on loopback, in a process of its own. Refresh tokens rotate, and using an old
 * one again ends the whole grant. `POST /_control` makes its token endpoint misbehave; `GET /_control` returns the
 * counts. Arguments: the redirect URI of its client. Prints its port.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address();
const issuer = `http://127.0.0.1:${port}`;

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'gateway',
      client_secret: 'planted-client-secret',
      redirect_uris: [process.argv[2]],
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      response_types: ['code'],
    },
  ],
  scopes: ['openid', 'offline_access', 'read', 'write'],
  features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
  pkce: { required: () => true },
  rotateRefreshToken: true,
  issueRefreshToken: () => true,
  ttl: {
    AccessToken: 3600,
    ClientCredentials: 3600,
    RefreshToken: 86_400,
    AuthorizationCode: 60,
    Grant: 86_400,
    Session: 3600,
    Interaction: 600,
  },
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  cookies: { keys: ['test'] },
});
const handle = provider.callback();

let mode = 'ok';
let held = [];
let requests = 0;
let lastRefresh = null;
const ANSWERS = {
  html: [200, { 'content-type': 'text/html' }, '<html>Sign in</html>'],
  redirect: [302, { location: 'http://127.0.0.1:1/' }, ''],
  big: [200, { 'content-type': 'application/json' }, `{"x":"${'x'.repeat(10 * 1024 * 1024)}"}`],
  error: [500, { 'content-type': 'application/json' }, '{"error":"server_error"}'],
  client: [401, { 'content-type': 'application/json' }, '{"error":"invalid_client"}'],
  grant: [400, { 'content-type': 'application/json' }, '{"error":"invalid_grant"}'],
  odd: [
    200,
    { 'content-type': 'application/json' },
    JSON.stringify({
      access_token: 'odd-1',
      token_type: 'bearer',
      expires_in: 1e300,
      refresh_expires_in: 1e300,
      scope: `read a\0b ${'x'.repeat(5000)}`,
    }),
  ],
  fewer: [200, { 'content-type': 'application/json' }, '{"access_token":"fewer-1","token_type":"bot","scope":"read"}'],
};

server.on('request', async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  if (request.url === '/_control') return control(request, response, body);
  if (request.url.startsWith('/interaction/')) return interact(request, response);
  // koa would read the body again, so it gets the parsed one.
  request.body = body.length > 0 ? Object.fromEntries(new URLSearchParams(body.toString())) : undefined;
  if (request.url !== '/token') return handle(request, response);
  requests += 1;
  if (mode === 'held') await new Promise((resolve) => held.push(resolve));
  if (mode === 'hang') return;
  if (ANSWERS[mode]) {
    const [status, headers, text] = ANSWERS[mode];
    response.writeHead(status, headers).end(text);
    return;
  }
  lastRefresh = request.body?.refresh_token ?? lastRefresh;
  handle(request, response);
});

async function control(request, response, body) {
  if (request.method === 'POST') {
    const asked = JSON.parse(body.toString());
    if (asked.mode) {
      mode = asked.mode;
      if (mode !== 'held') for (const release of held.splice(0)) release();
    }
    if (asked.reuse) {
      const answer = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from('gateway:planted-client-secret').toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: lastRefresh }),
      });
      requests -= 1;
      response.end(JSON.stringify({ status: answer.status }));
      return;
    }
  }
  response.end(JSON.stringify({ requests, held: held.length }));
}

/** The person signs in and allows everything that the client asks for. */
async function interact(request, response) {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
  }
  const grant = grantId
    ? await provider.Grant.find(grantId)
    : new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  await provider.interactionFinished(
    request,
    response,
    { consent: { grantId: await grant.save() } },
    { mergeWithLastSubmission: true },
  );
}

process.stdout.write(`${port}\n`);
process.stdin.resume().on('end', () => process.exit(0));
