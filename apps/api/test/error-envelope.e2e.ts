import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { startGateway, type Gateway } from './support/gateway.js';
import { expectEnvelope, JSON_TYPE, sendPlain, type PlainAnswer } from './support/plain-http.js';

const MB = 1024 * 1024;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

const raw = (method: string, path: string, headers?: Record<string, string>, body?: string | Buffer) =>
  sendPlain(gateway.url, method, path, headers, body);
const admin = () => ({ Authorization: `Bearer ${gateway.token}` });

describe('every error has the same envelope', () => {
  it.each<[string, string, number, string]>([
    ['GET', '/nowhere', 404, 'Cannot GET /nowhere'],
    ['GET', '/nowhere?secret=1', 404, 'Cannot GET /nowhere'],
    ['POST', '/nowhere', 404, 'Cannot POST /nowhere'],
    ['PUT', '/proxy', 405, 'PUT is not allowed here; allowed are POST'],
    ['TRACE', '/health', 405, 'TRACE is not allowed here; allowed are GET, HEAD'],
    ['PROPFIND', '/services', 405, 'PROPFIND is not allowed here; allowed are GET, HEAD, POST'],
    ['GET', '/services/%E0%A4%A', 400, "Failed to decode param '%E0%A4%A'"],
    ['GET', '/dashboard/assets/%zz', 404, 'Cannot GET /dashboard/assets/%zz'],
    ['GET', '/services/%00', 400, 'URL must not contain NUL characters'],
    ['GET', '/dashboard/assets/none.js', 404, 'Cannot GET /dashboard/assets/none.js'],
    ['GET', `/${'x'.repeat(8000)}`, 404, `Cannot GET /${'x'.repeat(8000)}`],
    ['GET', '/services', 401, 'Missing authorization header'],
    ['POST', '/auth/register/', 400, expect.stringContaining('email: ')],
  ])('%s %s', async (method, path, status, error) => {
    expectEnvelope(await raw(method, path), status, error);
  });

  it.each(['0', '-1', '1.5', '2147483648', '99999999999999999999', 'x', '1e3', '%31x', ' 1', '0x1'])(
    'for an invalid id: %s',
    async (id) => {
      for (const path of ['/services/', '/agents/']) {
        expectEnvelope(
          await raw('GET', path + encodeURI(id).replace('%2531', '%31'), admin()),
          400,
          'id: must be an integer from 1 to 2147483647',
        );
      }
    },
  );

  it('for a body that is not a JSON object', async () => {
    const post = (body: string | Buffer, headers = {}) =>
      raw('POST', '/services', { ...admin(), ...JSON_TYPE, ...headers }, body);
    for (const [body, where] of [
      ['{"a":', 'the text ends where a value is expected at line 1, column 6 (position 5)'],
      ['{"a":1,\n "b":2,}', 'expected a name in double quotes at line 2, column 8 (position 15)'],
      [Buffer.from([0x7b, 0xff, 0x7d]), 'the body is not UTF-8 text'],
    ] as const) {
      expectEnvelope(await post(body), 400, 'Invalid JSON in request body', `Fix the JSON: ${where}`);
    }
    for (const body of ['[]', '1', 'null', '"text"']) {
      expectEnvelope(await post(body), 400, 'Request body must be a JSON object');
    }
    expectEnvelope(await post('{"name":"a\\u0000b"}'), 400, 'JSON must not contain NUL characters');
    expectEnvelope(await post('{"na\\u0000me":1}'), 400, 'JSON must not contain NUL characters');
    expectEnvelope(
      await post(`{"a":${'['.repeat(64)}${']'.repeat(64)}}`),
      400,
      'JSON must not be nested deeper than 64 levels',
    );
    // Deeper than the call stack, but within the size limit.
    expectEnvelope(
      await post(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`),
      400,
      expect.stringMatching(/nested deeper|Invalid JSON/),
    );
    expectEnvelope(await post('{"__proto__":{"isAdmin":true}}'), 400, 'JSON must not have a key __proto__');
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', '']) {
      expectEnvelope(await post('{}', { 'Content-Type': type }), 415, 'Content-Type must be application/json');
    }
    expectEnvelope(
      await post('{}', { 'Content-Encoding': 'gzip' }),
      415,
      'Content-Encoding is not supported: send the body without it',
    );
    expect((await post('{}', { 'Content-Type': 'application/json; charset=utf-8' })).status).toBe(400);
  });

  it.each<[string, number, () => Record<string, string>]>([
    ['/proxy', 10, () => ({ 'Agent-Key': gateway.agentKey })],
    ['/proxy/', 10, () => ({ 'Agent-Key': gateway.agentKey })],
    ['/services/1/documentation', 20, admin],
    ['/services', 1, admin],
    ['/auth/login', 1, () => ({})],
  ])('for a body over the limit of %s, %i MB', async (path, limitMb, headers) => {
    const ofSize = (bytes: number): Buffer => {
      const body = Buffer.alloc(bytes, 'x');
      body.write('{"x":"');
      body.write('"}', bytes - 2);
      return body;
    };
    const tooLarge = `Request body exceeds ${limitMb}MB limit`;
    const over = ofSize(limitMb * MB + 1);
    expectEnvelope(await rawTolerant(path, { ...headers(), ...JSON_TYPE }, over, false), 413, tooLarge);
    expectEnvelope(await rawTolerant(path, { ...headers(), ...JSON_TYPE }, over, true), 413, tooLarge);
    const within = await raw('POST', path, { ...headers(), ...JSON_TYPE }, ofSize(limitMb * MB));
    expect([400, 404]).toContain(within.status);
  });

  it('for a request that is not HTTP: the connection closes, and the gateway continues', async () => {
    const { port, hostname } = new URL(gateway.url);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write('NONSENSE\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString()));
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect((await raw('GET', '/health')).status).toBe(200);
  });
});

/** A server may answer and close before it has read everything. The answer counts, not the broken pipe. */
function rawTolerant(path: string, headers: Record<string, string>, body: Buffer, chunked: boolean) {
  return new Promise<PlainAnswer>((resolve, reject) => {
    const outgoing = httpRequest(gateway.url, {
      method: 'POST',
      path,
      headers: { ...headers, ...(chunked ? {} : { 'Content-Length': body.length }) },
    });
    let answered = false;
    outgoing.on('response', (response) => {
      answered = true;
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
        outgoing.destroy();
      });
      response.on('error', reject);
    });
    outgoing.on('error', (error) => answered || reject(error));
    // In two parts, so that Node uses chunks when no length is given.
    outgoing.write(body.subarray(0, 1));
    outgoing.end(body.subarray(1));
  });
}
