import type { AuditRecord, Service, ServiceUsage } from '#contracts';
import { PreviousCredentials } from '../src/connections/previous-credentials.js';
import { openEvents } from './support/event-stream.js';
import { startGateway, type Gateway } from './support/gateway.js';

/** Two instances on one database. */
let a: Gateway;
let b: Gateway;
beforeAll(async () => {
  // The tests move the clocks, and the administrator stays logged in.
  const settings = { JWT_ACCESS_EXPIRY: '7d' };
  a = await startGateway(settings);
  b = await a.secondInstance(settings);
});
afterAll(async () => {
  await b.app.close();
  await a.close();
});
beforeEach(() => {
  a.model.answer({ score: 0 });
  a.upstream.answer((_call, response) => response.end('{}'));
});

const NONE = {
  error:
    'There is no previous set of credentials: none was kept, its time has ended, it was put back already, or the service authenticates in another way now',
  statusCode: 409,
};

/** A new service, which the agent reaches. */
async function made(fields: object = {}): Promise<Service> {
  const service = await a.createService(fields);
  await a.admin(`PUT /agents/${a.agent.id}/services`, { serviceIds: [service.id] });
  return service;
}
const read = (id: number): Promise<Service> => a.admin<Service>(`GET /services/${id}`);
const put = (id: number, credentials: object, graceHours?: number) =>
  a.admin(`PUT /services/${id}/credentials`, { credentials, graceHours });
const revert = (id: number, gateway = a) => gateway.tryAdmin(`POST /services/${id}/credentials/revert`);
async function sent(gateway = b): Promise<string> {
  const { status, text } = await gateway.proxy();
  if (status !== 200) throw new Error(`${status} ${text}`);
  return String(a.upstream.calls.at(-1)!.headers.authorization);
}
const rows = async (table: string, id: number): Promise<object[]> =>
  a.app.database.query(`SELECT * FROM ${table} WHERE service_id = $1 ORDER BY 1`, [id]);

describe('replaced credentials', () => {
  it('are redacted while they can be put back, in every spelling and on every instance', async () => {
    const { id } = await made({ credentials: { token: 'first-token-of-the-service' } });
    expect(await sent()).toBe('Bearer first-token-of-the-service');
    await put(id, { token: 'second-token-of-the-service' });
    const old = 'first-token-of-the-service';
    const spelled = [old, Buffer.from(old).toString('base64'), 'second-token-of-the-service'];
    a.upstream.answer((_call, response) => {
      response.setHeader('X-Old', old);
      response.end(JSON.stringify(spelled));
    });
    for (const instance of [a, b]) {
      const answer = await instance.proxy();
      expect([answer.json(), answer.headers.get('x-old')]).toEqual([spelled.map(() => '[REDACTED]'), '[REDACTED]']);
    }
  });

  it('can be put back once, on every instance, with who had stored them and when', async () => {
    const { id, ...before } = await made({ credentials: { token: 'first-token' } });
    expect(await sent()).toBe('Bearer first-token');
    expect(before.previousCredentials).toBeNull();
    a.app.clock.advance({ minutes: 5 });
    expect(await put(id, { token: 'second-token' }, 2)).toEqual({
      message: 'Credentials replaced',
      credentialKeys: ['token'],
      missingCredentials: [],
    });
    expect(await sent()).toBe('Bearer second-token');
    const replaced = await read(id);
    expect(Date.parse(replaced.previousCredentials!.expiresAt)).toBe(
      Date.parse(replaced.credentialsRotatedAt!) + 2 * 3_600_000,
    );

    const answer = await revert(id);
    expect([answer.status, answer.body]).toEqual([
      200,
      { message: 'Credentials reverted', credentialKeys: ['token'], missingCredentials: [] },
    ]);
    expect(await sent()).toBe('Bearer first-token');
    expect(await read(id)).toMatchObject({
      previousCredentials: null,
      credentialsRotatedAt: before.credentialsRotatedAt,
      credentialsRotatedBy: before.credentialsRotatedBy,
    });
    const again = await revert(id);
    expect([again.status, again.body]).toEqual([409, NONE]);
    expect(await sent()).toBe('Bearer first-token');
    expect(await rows('previous_credentials', id)).toEqual([]);

    const records: AuditRecord[] = (await a.audit(`&kind=change&serviceId=${id}`)).slice(0, 2);
    expect(records.map(({ reason, details, actor }) => [reason, details, actor?.name])).toEqual([
      ['service.credentials_reverted', { credentials: ['token'] }, 'Ada'],
      ['service.credentials_replaced', { credentials: ['token'], graceHours: 2 }, 'Ada'],
    ]);
    expect(JSON.stringify(await a.audit())).not.toMatch(/(first|second)-token/);
  });

  it('are kept for 24 hours if the request does not say, and encrypted', async () => {
    for (const method of ['PUT', 'POST']) {
      const { id } = await made({ credentials: { token: 'kept-token' } });
      await a.admin(`${method} /services/${id}/credentials`, { credentials: { token: 'new' } });
      const { previousCredentials, credentialsRotatedAt } = await read(id);
      expect(Date.parse(previousCredentials!.expiresAt) - Date.parse(credentialsRotatedAt!)).toBe(24 * 3_600_000);
      const [value] = (await rows('previous_credentials', id)) as { encrypted_value: string }[];
      expect(value.encrypted_value).toMatch(/^[0-9a-f]{24}:[0-9a-f]{32}:[0-9a-f]+$/);
    }
  });

  it('are not kept with graceHours 0, which also deletes an older set', async () => {
    const { id } = await made();
    await put(id, { token: 'second' });
    await put(id, { token: 'third' }, 0);
    expect((await read(id)).previousCredentials).toBeNull();
    expect(await rows('previous_credential_sets', id)).toEqual([]);
    expect((await revert(id)).body).toEqual(NONE);
    expect(await sent()).toBe('Bearer third');
  });

  it('replace an older kept set; repeating the same request does not', async () => {
    const { id } = await made();
    await put(id, { token: 'second' });
    await put(id, { token: 'third' });
    await put(id, { token: 'third' });
    expect((await revert(id)).status).toBe(200);
    expect(await sent()).toBe('Bearer second');
  });

  it('are gone when their grace time is over', async () => {
    const { id } = await made();
    await put(id, { token: 'second' }, 1);
    await a.app.advance({ minutes: 61 });
    b.app.clock.advance({ minutes: 61 });
    expect((await read(id)).previousCredentials).toBeNull();
    expect((await revert(id)).body).toEqual(NONE);
    expect(await a.app.app.get(PreviousCredentials, { strict: false }).purge()).toBeGreaterThan(0);
    expect(await rows('previous_credentials', id)).toEqual([]);
    expect(await sent()).toBe('Bearer second');
  });

  it('can only be put back if the service still authenticates in the same way', async () => {
    const { id } = await made();
    await put(id, { token: 'second' });
    await a.admin(`PUT /services/${id}`, { authType: 'basic' });
    expect((await read(id)).previousCredentials).toBeNull();
    expect((await revert(id)).body).toEqual(NONE);
    await a.admin(`PUT /services/${id}`, { authType: 'bearer' });
    expect((await read(id)).previousCredentials).not.toBeNull();
    expect((await revert(id)).status).toBe(200);
  });

  it('are put back with their previous names', async () => {
    const { id } = await made({ authType: 'api_key', credentials: { 'X-One': '1', 'X-Two': '2' } });
    await put(id, { 'X-Three': '3' });
    await revert(id);
    expect(Object.keys((await read(id)).credentials)).toEqual(['X-One', 'X-Two']);
    await sent();
    const { headers } = a.upstream.calls.at(-1)!;
    expect([headers['x-one'], headers['x-two'], headers['x-three']]).toEqual(['1', '2', undefined]);
  });

  it('are put back with their connection, if they are tokens of a provider', async () => {
    const oauth = {
      grant: 'client_credentials',
      tokenUrl: `${a.upstream.url}/token`,
      clientId: 'gateway',
      scopes: [],
      tokenAuth: 'basic',
    };
    const tokens = ['first-access', 'second-access'];
    a.upstream.answer((call, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(
        call.path.endsWith('/token')
          ? JSON.stringify({ access_token: tokens.shift(), token_type: 'bearer', expires_in: 3600, scope: 'read' })
          : '{}',
      );
    });
    const { id } = await made({ authType: 'oauth2', oauth, credentials: { client_secret: 'first-secret' } });
    expect(await sent()).toBe('Bearer first-access');
    const before = await read(id);
    await put(id, { client_secret: 'second-secret' });
    expect((await read(id)).connection).toMatchObject({ expiresAt: null });
    expect(await sent()).toBe('Bearer second-access');
    expect((await revert(id)).status).toBe(200);
    expect(await sent()).toBe('Bearer first-access');
    expect((await read(id)).connection).toEqual(before.connection);
    expect(tokens).toEqual([]);

    await put(id, { client_secret: 'third-secret' });
    await a.admin(`PUT /services/${id}`, { oauth: { ...oauth, clientId: 'another' } });
    expect((await revert(id)).body).toEqual(NONE);
  });

  it('are deleted with their service', async () => {
    const { id } = await made();
    await put(id, { token: 'second' });
    await a.admin(`DELETE /services/${id}`);
    expect(await rows('previous_credential_sets', id)).toEqual([]);
    expect(await rows('previous_credentials', id)).toEqual([]);
  });

  it('stay current if the change fails', async () => {
    const { id } = await made({ credentials: { token: 'first' } });
    await put(id, { token: 'second' });
    await a.app.database.query(`UPDATE previous_credentials SET encrypted_value = 'ab' WHERE service_id = $1`, [id]);
    const broken = await revert(id);
    expect([broken.status, broken.body.error]).toEqual([500, 'Failed to decrypt credentials']);
    expect(await sent()).toBe('Bearer second');
    expect(await rows('previous_credential_sets', id)).toHaveLength(1);
  });
});

it('a revert sends a live update', async () => {
  const { id } = await made();
  await put(id, { token: 'second' });
  const events = await openEvents(b.url, b.token);
  try {
    await revert(id);
    await events.next((event) => event.type === 'service.updated' && event.id === id);
  } finally {
    events.close();
  }
});

it.each([
  [{ credentials: { token: 'x' }, graceHours: -1 }, /^graceHours: must not be less than 0/],
  [{ credentials: { token: 'x' }, graceHours: 721 }, /^graceHours: must not be greater than 720/],
  [{ credentials: { token: 'x' }, graceHours: 1.5 }, /^graceHours: must be an integer number/],
  [{ credentials: { token: 'x' }, graceHours: null }, /^graceHours: /],
  [{ credentials: { token: 'x' }, graceHours: '24' }, /^graceHours: /],
  [{ credentials: {} }, /At least one credential is required/],
  [{ credentials: { token: 'line\nbreak' } }, /^credentials\.token: must not contain line breaks/],
  [{ graceHours: 1 }, /At least one credential is required/],
])('%j is refused, and changes nothing', async (body, message) => {
  const { id } = await made({ credentials: { token: 'first' } });
  await put(id, { token: 'second' });
  const answer = await a.tryAdmin(`PUT /services/${id}/credentials`, body);
  expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(message)]);
  expect(await sent()).toBe('Bearer second');
  await revert(id);
  expect(await sent()).toBe('Bearer first');
});

it('with replacements, reverts and requests at once on two instances, each request carries one whole set', async () => {
  const set = (version: number) => ({
    'X-One': `one-${version}`,
    'X-Two': `two-${version}`,
    'X-Three': `three-${version}`,
  });
  const { id } = await made({ authType: 'api_key', credentials: set(0) });
  const from = a.upstream.calls.length;
  let running = true;
  const failed: unknown[] = [];
  const lanes = [a, b, a, b].map(async (gateway) => {
    while (running) {
      const { status, text } = await gateway.proxy();
      // If its own service changes four times within one request, the gateway asks to try again.
      if (status !== 200 && status !== 503) failed.push(text);
    }
  });
  const statuses: number[] = [];
  for (let round = 1; round <= 12; round++) {
    const changes = await Promise.all([
      a.tryAdmin(`PUT /services/${id}/credentials`, { credentials: set(round) }),
      revert(id, b),
      revert(id, a),
    ]);
    statuses.push(...changes.map(({ status }) => status));
  }
  running = false;
  await Promise.all(lanes);
  expect(failed).toEqual([]);
  expect(new Set(statuses)).toEqual(new Set([200, 409]));
  const calls = a.upstream.calls.slice(from);
  expect(calls.length).toBeGreaterThan(12);
  for (const { headers } of calls) {
    const versions = ['one', 'two', 'three'].map((name) => String(headers[`x-${name}`]).replace(`${name}-`, ''));
    expect(versions).toEqual([versions[0], versions[0], versions[0]]);
  }
});

describe('rotateEveryDays', () => {
  interface Status {
    credentialRotation: { due: number; overdue: number };
  }
  const DAY_MS = 24 * 3_600_000;
  const counts = async () => (await a.admin<Status>('GET /admin/status')).credentialRotation;
  /** Sets the age of the stored credentials to this many days. */
  const age = (id: number, days: number) =>
    a.app.database.query('UPDATE services SET credentials_rotated_at = $2 WHERE id = $1', [
      id,
      new Date(a.app.clock.nowMs() - days * DAY_MS),
    ]);

  it('says when the credentials should be replaced, and the status counts what is due and overdue', async () => {
    expect(await counts()).toEqual({ due: 0, overdue: 0 });
    const { id, rotationDueAt, credentialsRotatedAt } = await made({ rotateEveryDays: 30 });
    expect(Date.parse(rotationDueAt!)).toBe(Date.parse(credentialsRotatedAt!) + 30 * DAY_MS);
    const seen = [];
    for (const days of [0, 22, 24, 29, 31]) {
      await age(id, days);
      seen.push([days, await counts()]);
    }
    expect(seen).toEqual([
      [0, { due: 0, overdue: 0 }],
      [22, { due: 0, overdue: 0 }],
      [24, { due: 1, overdue: 0 }],
      [29, { due: 1, overdue: 0 }],
      [31, { due: 0, overdue: 1 }],
    ]);
    await put(id, { token: 'new' });
    expect(await counts()).toEqual({ due: 0, overdue: 0 });
    await revert(id);
    expect(await counts()).toEqual({ due: 0, overdue: 1 });

    const other = await a.admin<Service>(`PUT /services/${id}`, { rotateEveryDays: 3650 });
    expect([other.rotateEveryDays, await counts()]).toEqual([3650, { due: 0, overdue: 0 }]);
    const none = await a.admin<Service>(`PUT /services/${id}`, { rotateEveryDays: null });
    expect([none.rotateEveryDays, none.rotationDueAt]).toEqual([null, null]);
  });

  it.each([0, -1, 3651, 1.5, '30', true])('%j is refused', async (rotateEveryDays) => {
    const { id } = a.service;
    const { name, baseUrl } = a.service;
    const fields = { name, baseUrl, authType: 'bearer', credentials: { token: 'x' } };
    for (const answer of [
      await a.tryAdmin(`PUT /services/${id}`, { rotateEveryDays }),
      await a.tryAdmin('POST /services', { ...fields, rotateEveryDays }),
    ]) {
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(/^rotateEveryDays: /)]);
    }
    expect((await read(id)).rotateEveryDays).toBeNull();
  });
});

describe('rejections', () => {
  const rejections = async (id: number) => {
    await Promise.all([a.app.settled(), b.app.settled()]);
    const usage = await a.admin<ServiceUsage[]>('GET /audit/usage/services');
    return usage.find(({ serviceId }) => serviceId === id)!.rejections;
  };

  it('are counted among the answers before and after a replacement, for a week', async () => {
    const { id } = await made({ credentials: { token: 'good' } });
    a.upstream.answer(({ headers, path }, response) => {
      response.statusCode = path.endsWith('/forbidden') ? 403 : headers.authorization === 'Bearer good' ? 200 : 401;
      response.end('{}');
    });
    const targetUrl = `${a.upstream.url}/v1/forbidden`;
    await a.proxy();
    await a.proxy();
    await a.proxy({ targetUrl });
    expect(await rejections(id)).toBeNull();

    // Record ids contain the time of the request in milliseconds.
    a.app.clock.advance({ seconds: 1 });
    await put(id, { token: 'bad' });
    a.app.clock.advance({ seconds: 1 });
    const before = { answers: 3, rejected: 1 };
    expect(await rejections(id)).toEqual({ before, after: { answers: 0, rejected: 0 } });
    await a.proxy();
    await a.proxy({ targetUrl });
    expect(await rejections(id)).toEqual({ before, after: { answers: 2, rejected: 2 } });

    await a.app.database.query(
      `UPDATE services SET credentials_rotated_at = credentials_rotated_at - interval '8 days' WHERE id = $1`,
      [id],
    );
    expect(await rejections(id)).toBeNull();
  });
});
