import type { Action, ActionContext, ActionPage } from '#contracts';
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
