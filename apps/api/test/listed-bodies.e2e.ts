import type { Action, ActionContext, ActionPage, ActionSummary, ActionSummaryPage } from '#contracts';
import { withBodySizes } from '../src/approvals/listed-bodies.js';
import { actionsWithoutBodies } from '../src/approvals/stored-actions.js';
import { ExecutionClaims } from '../src/approvals/execution-claims.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { startDatabaseProxy, type TcpProxy } from './support/tcp-proxy.js';

const KB = 1024;
const MB = 1024 * KB;

let link: TcpProxy;
let gateway: Gateway;
beforeAll(async () => {
  const database = await startDatabaseProxy();
  link = database.link;
  gateway = await startGateway({ DATABASE_URL: database.databaseUrl });
});
afterAll(async () => {
  await gateway.close();
  await link.stop();
});

const hold = async (body: string): Promise<string> =>
  (await gateway.hold({ method: 'PUT', targetUrl: `${gateway.upstream.url}/v1/notes/1`, body })).action_id;
const get = (id: string): Promise<Action> => gateway.admin<Action>(`GET /approvals/${id}`);
const list = async (): Promise<Action[]> => (await gateway.admin<ActionPage>('GET /approvals?status=ALL')).items;
const listed = async (id: string): Promise<Action> => (await list()).find(({ action_id }) => action_id === id)!;

describe('a list', () => {
  it.each(['a'.repeat(64 * KB), '€'.repeat(21 * KB)])('shows a body of up to 64 kB whole', async (body) => {
    const id = await hold(body);
    expect(await listed(id)).toEqual(await get(id));
    expect((await listed(id)).body).toBe(body);
  });

  it.each(['a', 'ü', '😀'])(
    'shows the beginning of a longer body of %s, and the digest of all of it',
    async (character) => {
      const id = await hold(`"\\${character.repeat(64 * KB)}"`);
      const [item, whole] = [await listed(id), await get(id)];
      expect(item).toEqual({ ...whole, body: item.body, bodyTruncated: true });
      expect(whole.body!.startsWith(item.body!)).toBe(true);
      expect([...item.body!]).toHaveLength(16 * KB);
      await gateway.admin(`PATCH /approvals/${id}/approve`, { digest: item.digest });
      expect((await listed(id)).digest).toBe(item.digest);
    },
  );

  it('shows another digest of a long body when the service has moved to another base URL', async () => {
    const id = await hold('b'.repeat(65 * KB));
    const before = await listed(id);
    const move = (baseUrl: string) =>
      gateway.app.database.query('UPDATE services SET base_url = $2 WHERE id = $1', [gateway.service.id, baseUrl]);
    await move(`${gateway.upstream.url}/v2`);
    const [after, whole] = [await listed(id), await get(id)];
    await move(gateway.service.baseUrl);
    expect(after.digest).not.toBe(before.digest);
    expect(after.digest).toBe(whole.digest);
  });

  it('shows the beginning of a long result, as text', async () => {
    const result = '€'.repeat(30 * KB);
    gateway.upstream.answer((_call, response) => response.end(result));
    const id = await hold('{}');
    await gateway.approve(id);
    await gateway.execute(id);
    const [item, whole] = [await listed(id), await get(id)];
    expect(whole.result!.body).toBe(result);
    const { body } = item.result!;
    expect(item).toEqual({ ...whole, result: { ...whole.result, body, bodyTruncated: true } });
    expect(result.startsWith(body)).toBe(true);
    expect(body.length).toBeGreaterThan(21 * KB);
  });
});

const summaries = async (): Promise<ActionSummary[]> =>
  (await gateway.admin<ActionSummaryPage>('GET /approvals?status=ALL&view=summary')).items;
const summaryOf = async (id: string): Promise<ActionSummary> =>
  (await summaries()).find(({ action_id }) => action_id === id)!;
const excerpt = (id: string): Promise<Action> => gateway.admin<Action>(`GET /approvals/${id}?view=excerpt`);

/** What `view=summary` keeps. */
function summaryFrom({ headers, body, bodyEncoding, bodyTruncated, parts, result, ...rest }: Action): ActionSummary {
  void [headers, body, bodyEncoding, bodyTruncated, parts, result];
  return rest;
}

const png = Buffer.from('89504e470d0a1a0a00ff', 'hex');
const FORM = 'multipart/form-data; boundary=x';

describe('a summary', () => {
  it.each<[string, string | Buffer | null, string, number | null]>([
    ['no body', null, 'text/plain', null],
    ['a short body', '{"amount":"12 €"}', 'application/json', 19],
    ['a long body', 'ü'.repeat(64 * KB), 'text/plain', 128 * KB],
    ['bytes', png, 'image/png', 10],
    ['a form', `--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n`, FORM, 59],
  ])('of %s has all but headers, body and result', async (_name, body, type, bytes) => {
    const targetUrl = `${gateway.upstream.url}/v1/notes/2`;
    const call = { method: body === null ? 'DELETE' : 'PUT', targetUrl, headers: { 'Content-Type': type } };
    const encoded = Buffer.isBuffer(body) ? { bodyBase64: body.toString('base64') } : { body };
    const { action_id: id } = await gateway.hold({ ...call, ...(body !== null && encoded) });
    const [whole, one] = [await get(id), await gateway.admin<ActionSummary>(`GET /approvals/${id}?view=summary`)];
    expect(one).toEqual(summaryFrom(whole));
    expect(await summaryOf(id)).toEqual(one);
    expect(await listed(id)).toMatchObject(one);
    expect(one).toMatchObject({ bodyBytes: bytes, bodyType: body === null ? whole.bodyType : type });
  });

  it('is what a decision answers, if it is asked for, and its digest approves', async () => {
    const id = await hold('"s"');
    const { digest } = await summaryOf(id);
    const approved = await gateway.admin<ActionSummary>(`PATCH /approvals/${id}/approve?view=summary`, { digest });
    expect(approved).toEqual(summaryFrom(await get(id)));
    expect(approved).toMatchObject({ status: 'APPROVED', digest });
    const undone = await gateway.admin<ActionSummary>(`PATCH /approvals/${id}/undo?view=summary`, {});
    expect(undone).toEqual(summaryFrom(await get(id)));
    const denied = await gateway.admin<ActionSummary>(`PATCH /approvals/${id}/deny?view=summary`, {});
    expect(denied).toEqual(summaryFrom(await get(id)));
  });

  it('follows the base URL of the service in its digest', async () => {
    const id = await hold('"moves"');
    const before = await summaryOf(id);
    const move = (baseUrl: string) =>
      gateway.app.database.query('UPDATE services SET base_url = $2 WHERE id = $1', [gateway.service.id, baseUrl]);
    await move(`${gateway.upstream.url}/v2`);
    const [after, whole] = [await summaryOf(id), await get(id)];
    await move(gateway.service.baseUrl);
    expect(after.digest).toBe(whole.digest);
    expect(after.digest).not.toBe(before.digest);
    expect((await summaryOf(id)).digest).toBe(before.digest);
  });

  it('of an unknown action is 404', async () => {
    for (const id of [crypto.randomUUID(), 'x']) {
      expect(await gateway.tryAdmin(`GET /approvals/${id}?view=summary`)).toMatchObject({ status: 404 });
    }
  });

  it.each([
    ['GET /approvals?view=full', 'view: must be one of the following values: summary'],
    ['GET /approvals?view=', 'view: must be one of the following values: summary'],
    ['GET /approvals/ID?view=all', 'view: must be one of the following values: excerpt, summary'],
    ['PATCH /approvals/ID/deny?view=all', 'view: must be one of the following values: excerpt, summary'],
  ])('%s is refused', async (path, error) => {
    const id = await hold('"view"');
    const answer = await gateway.tryAdmin(path.replace('ID', id), path.startsWith('PATCH') ? {} : undefined);
    expect(answer).toMatchObject({ status: 400, body: { error, statusCode: 400 } });
    expect((await get(id)).status).toBe('PENDING');
  });

  it('is selected without a body', () => {
    const sql = withBodySizes(actionsWithoutBodies(gateway.app.database)).getSql();
    const rest = sql.replaceAll(/octet_length\("a"\."(body|body_bytes)"\)/g, '');
    expect(rest.length).toBeLessThan(sql.length);
    expect(rest).not.toMatch(/"(body|body_bytes|result_body)"/);
  });
});

describe('an excerpt', () => {
  it.each(['a'.repeat(64 * KB), '€'.repeat(21 * KB), ''])('has a body of up to 64 kB whole', async (body) => {
    const id = await hold(body);
    expect(await excerpt(id)).toEqual(await get(id));
  });

  it.each(['a', 'ü', '€', '😀'])('has the first 64 kB of a longer body of %s', async (character) => {
    const id = await hold(`"\\${character.repeat(64 * KB)}"`);
    const [item, whole] = [await excerpt(id), await get(id)];
    expect(item).toEqual({ ...whole, body: item.body, bodyTruncated: true });
    expect(whole.body!.startsWith(item.body!)).toBe(true);
    expect(64 * KB - Buffer.byteLength(item.body!)).toBeLessThan(8);
    expect(item.bodyBytes).toBe(Buffer.byteLength(whole.body!));
  });
});

describe('bodies and results of megabytes', () => {
  const ids: string[] = [];
  beforeAll(async () => {
    gateway.upstream.answer((_call, response) => response.end('r'.repeat(MB)));
    for (let serial = 0; serial < 5; serial++) {
      const id = await hold(`${serial} ${'x'.repeat(2 * MB)}`);
      ids.push(id);
      await gateway.approve(id);
      await gateway.execute(id);
    }
  });

  /** The number of bytes that the database sends meanwhile. */
  async function bytesReadBy(work: () => Promise<unknown>): Promise<number> {
    await gateway.app.settled();
    const before = link.bytesSent();
    await work();
    return link.bytesSent() - before;
  }

  it('are not read for a list', async () => {
    expect(await bytesReadBy(list)).toBeLessThan(2 * MB);
  });

  it('are not read for summaries', async () => {
    expect(await bytesReadBy(summaries)).toBeLessThan(100 * KB);
    expect(await bytesReadBy(() => gateway.admin(`GET /approvals/${ids[0]}?view=summary`))).toBeLessThan(50 * KB);
  });

  it('are hashed by the database for the digests of summaries', async () => {
    const waiting = await hold('w'.repeat(2 * MB));
    expect(await bytesReadBy(summaries)).toBeLessThan(100 * KB);
    expect((await summaryOf(waiting)).digest).toBe((await get(waiting)).digest);
  });

  it('are cut in an excerpt', async () => {
    const [item, whole] = [await excerpt(ids[0]), await get(ids[0])];
    expect(whole.body!.startsWith(item.body!)).toBe(true);
    expect(whole.result!.body.startsWith(item.result!.body)).toBe(true);
    expect(JSON.stringify(item).length).toBeLessThan(140 * KB);
    expect(item).toMatchObject({ bodyTruncated: true, result: { bodyTruncated: true } });
  });

  it('are not read for an excerpt', async () => {
    expect(await bytesReadBy(() => excerpt(ids[0]))).toBeLessThan(200 * KB);
    const waiting = await hold('e'.repeat(2 * MB));
    expect(await bytesReadBy(() => excerpt(waiting))).toBeLessThan(200 * KB);
    expect((await excerpt(waiting)).digest).toBe((await get(waiting)).digest);
  });

  it('are not read as similar decisions', async () => {
    const id = await hold('{}');
    let similar: ActionContext['similar'] = [];
    const read = await bytesReadBy(async () => {
      ({ similar } = await gateway.admin<ActionContext>(`GET /approvals/${id}/context`));
    });
    expect(similar.map(({ action_id }) => action_id)).toEqual([...ids].reverse());
    expect(read).toBeLessThan(MB);
  });

  it('are not read when the claims of a crash are settled', async () => {
    // Of requests that may be repeated, the bodies are read one by one: they may ask for another method.
    await gateway.app.database.query(
      `UPDATE actions SET method = 'POST', status = 'APPROVED', claim_id = gen_random_uuid(), claimed_at = now() - interval '1 day'
       WHERE id = ANY ($1)`,
      [ids],
    );
    const claims = gateway.app.app.get(ExecutionClaims);
    const read = await bytesReadBy(async () => expect(await claims.settleStale()).toBe(ids.length));
    expect(read).toBeLessThan(MB);
  });
});
