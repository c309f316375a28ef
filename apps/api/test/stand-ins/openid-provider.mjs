// @ts-nocheck The provider has no types here; the test checks that it runs.
/**
 * A real OpenID provider (oidc-provider) on loopback, in a process of its own. `POST /_control` sets who signs in, and
 * how the provider misbehaves: `bend` changes the claims of ID tokens that it signs with its own key, `sign` changes
 * how they are signed, and `answer` changes its token endpoint. Arguments: the redirect URI of its client. Prints its
 * port.
 */
import { createSign, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address();
const issuer = `http://127.0.0.1:${port}`;
const keys = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const [own, foreign] = [keys(), keys()];

const ADA = { sub: 'ada', email: 'ada@example.com', email_verified: true, name: 'Ada Lovelace' };
let state = { person: ADA, bend: {}, sign: 'own', answer: 'ok', deny: false };
let requests = 0;
let lastForm = '';

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'gateway',
      client_secret: 'planted-openid-secret',
      redirect_uris: [process.argv[2]],
      grant_types: ['authorization_code'],
      response_types: ['code'],
    },
  ],
  jwks: { keys: [{ ...own.privateKey.export({ format: 'jwk' }), kid: 'own', alg: 'RS256', use: 'sig' }] },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups', '_claim_names'] },
  features: { devInteractions: { enabled: false } },
  pkce: { required: () => true },
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  findAccount: (_context, sub) => ({ accountId: sub, claims: () => state.person }),
  cookies: { keys: ['test'] },
});
const handle = provider.callback();

server.on('request', async (request, response) => {
  if (request.url === '/_control') {
    const body = Buffer.concat(await request.toArray()).toString();
    if (body) state = { person: ADA, bend: {}, sign: 'own', answer: 'ok', deny: false, ...JSON.parse(body) };
    return response.end(JSON.stringify({ requests, lastForm }));
  }
  if (request.url.startsWith('/interaction/')) return interact(request, response);
  if (request.url !== '/token' || request.headers['x-unbent']) return handle(request, response);
  requests += 1;
  const body = Buffer.concat(await request.toArray());
  lastForm = body.toString();
  if (state.answer === 'hang') return;
  if (state.answer === 'error') return response.writeHead(503).end();
  if (state.answer === 'html')
    return response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
  const { authorization, 'content-type': type } = request.headers;
  const answer = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization, 'content-type': type, 'x-unbent': '1' },
    body,
  });
  const tokens = await answer.json();
  if (tokens.id_token) tokens.id_token = bent(tokens.id_token);
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(tokens));
});

function bent(token) {
  const [header, payload] = token.split('.', 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
  if (state.sign === 'none') return `${encode({ alg: 'none' })}.${encode({ ...payload, ...state.bend })}.`;
  const text = `${encode(header)}.${encode({ ...payload, ...state.bend })}`;
  const { privateKey } = state.sign === 'own' ? own : foreign;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey).toString('base64url')}`;
}

/** A claim that is null is left out. */
const encode = (claims) =>
  Buffer.from(JSON.stringify(claims, (_name, value) => value ?? undefined)).toString('base64url');

/** The person signs in and allows everything that the client asks for, or presses Cancel. */
async function interact(request, response) {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  const finish = (result, options) => provider.interactionFinished(request, response, result, options);
  if (state.deny) return finish({ error: 'access_denied', error_description: 'The person pressed Cancel' });
  if (prompt.name === 'login') return finish({ login: { accountId: state.person.sub } });
  const grant = grantId
    ? await provider.Grant.find(grantId)
    : new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  await finish({ consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
}

process.stdout.write(`${port}\n`);
process.stdin.resume().on('end', () => process.exit(0));
