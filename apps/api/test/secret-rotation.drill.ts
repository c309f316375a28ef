/** ENCRYPTION_SECRET changes on several instances under load, while the program that encrypts again is killed. */
import { randomBytes } from 'node:crypto';
import { CredentialCipher } from '../src/crypto/credential-cipher.js';
import { credentialBinding } from '../src/credentials/encrypted-credentials.js';
import { ENCRYPTED } from '../src/encrypted.js';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { rotateSecret } from './support/rotate-secret.js';

const OLD = 'old-encryption-secret-of-32-characters';
const NEW = 'new-encryption-secret-of-32-characters';
const makeCipher = ({ config }: Gateway['app'], encryptionSecret: string) =>
  new CredentialCipher({ ...config.crypto, encryptionSecret, previousEncryptionSecret: null });

/** Reads every encrypted value of the database with one secret. @throws Error if one can't be decrypted */
async function decryptAll(app: Gateway['app'], secret: string): Promise<number> {
  const cipher = makeCipher(app, secret);
  let count = 0;
  for (const { table, columns, toBinding } of ENCRYPTED) {
    const rows: Record<string, string>[] = await app.database.query(`SELECT * FROM ${table}`);
    for (const row of rows) {
      for (const column of columns) {
        if (row[column] === null) continue;
        cipher.decrypt(row[column], toBinding(row));
        count++;
      }
    }
  }
  return count;
}

describe('changing ENCRYPTION_SECRET', () => {
  const KILLS = 10;
  /** Enough values for two batches of 100 in each killed run. */
  const MANY = (2 * KILLS + 4) * 100;

  /** Agents send requests to all instances of `targets` without pause. */
  class Load {
    targets: Gateway[] = [];
    readonly failed: string[] = [];
    answered = 0;
    private running = true;
    private readonly lanes: Promise<void>[];
    private readonly busy = new Map<Gateway, number>();
    private onIdle: () => void = () => undefined;

    constructor(targets: Gateway[], lanes = 6) {
      this.targets = targets;
      this.lanes = Array.from({ length: lanes }, (_, lane) => this.run(lane));
    }

    /** Sends all further requests to these instances. Resolves when no request is at another one. */
    async moveTo(targets: Gateway[]): Promise<void> {
      this.targets = targets;
      const isIdle = () => [...this.busy].every(([gateway, count]) => count === 0 || this.targets.includes(gateway));
      if (isIdle()) return;
      await new Promise<void>((resolve) => {
        this.onIdle = () => isIdle() && resolve();
      });
    }

    async stop(): Promise<void> {
      this.running = false;
      await Promise.all(this.lanes);
    }

    private async run(lane: number): Promise<void> {
      for (let turn = lane; this.running; turn++) {
        const gateway = this.targets[turn % this.targets.length];
        this.busy.set(gateway, (this.busy.get(gateway) ?? 0) + 1);
        try {
          const post = turn % 3 === 0;
          const answer = await gateway.proxy(
            post ? { method: 'POST', body: '{}', idempotencyKey: `${lane}-${turn}` } : {},
          );
          if (answer.status === 200) this.answered++;
          else this.failed.push(`${answer.status} ${answer.text}`);
        } catch (error) {
          this.failed.push(String(error));
        }
        this.busy.set(gateway, this.busy.get(gateway)! - 1);
        this.onIdle();
      }
    }
  }

  it('needs no downtime: rolling restarts, ten killed runs under load, no failed request, every value new', async () => {
    const first = await startGateway({ ENCRYPTION_SECRET: OLD, AGENT_MAX_IN_FLIGHT: '100' });
    first.model.answer({ score: 0 });
    const more = (environment: Record<string, string>) => first.secondInstance(environment);
    const old = makeCipher(first.app, OLD);
    let left: Gateway[] = [first];
    let planted = 0;
    const plant = async (): Promise<void> => {
      const names = Array.from({ length: MANY }, (_, index) => `spare-${planted + index}`);
      const { id } = first.service;
      // The first gateway may have been replaced.
      await left[0].app.database.query(
        `INSERT INTO credentials (service_id, name, encrypted_value) SELECT $1, name, value FROM unnest($2::text[], $3::text[]) c (name, value)`,
        [id, names, names.map((name) => old.encrypt(name, credentialBinding(id, name)))],
      );
      planted += MANY;
    };
    await plant();
    await first.admin(`PUT /agents/${first.agent.id}`, { callbackHosts: [first.upstream.hostAndPort] });
    await first.admin(`PUT /agents/${first.agent.id}/callback`, { url: `${first.upstream.url}/hook` });

    const load = new Load([first]);
    /** Reloads a changed agent, which decrypts every credential again. */
    const reload = (gateway: Gateway) =>
      gateway.admin(`PUT /agents/${gateway.agent.id}`, { name: `bot ${randomBytes(4).toString('hex')}` });
    const roll = async (environment: Record<string, string>) => {
      const next = [await more(environment), await more(environment)];
      await load.moveTo([...left.slice(1), next[0]]);
      await reload(next[0]);
      await load.moveTo(next);
      await reload(next[1]);
      for (const gateway of left) await gateway.app.close();
      left = next;
    };

    try {
      await roll({ ENCRYPTION_SECRET: OLD, ENCRYPTION_SECRET_PREVIOUS: NEW });
      const swapped = { ENCRYPTION_SECRET: NEW, ENCRYPTION_SECRET_PREVIOUS: OLD };
      const settings = { DATABASE_URL: first.app.databaseUrl, ...swapped };
      const early = await rotateSecret(settings, 1);
      expect(early.signal).toBe('SIGKILL');
      await roll(swapped);

      let killed = 1;
      while (killed < KILLS) {
        const run = await rotateSecret(settings, 2);
        if (run.signal === null) {
          // On a busy machine, the run may end before the signal reaches it.
          await plant();
          continue;
        }
        expect(run.signal).toBe('SIGKILL');
        killed++;
        await reload(left[killed % 2]);
        // Values that an administrator stores meanwhile are stored with the new secret.
        await left[0].admin(`PUT /services/${first.service.id}`, { name: `Shop ${killed}` });
      }
      const last = await rotateSecret(settings);
      expect(last.lines.at(-1)).toBe(
        'Everything is encrypted with ENCRYPTION_SECRET. You can remove ENCRYPTION_SECRET_PREVIOUS.',
      );
      // The last killed run may have finished all of them.
      const credentials = expect.stringMatching(/^credentials: (done|nothing left)$/);
      expect(last).toMatchObject({ code: 0, lines: expect.arrayContaining([credentials]) });

      await roll({ ENCRYPTION_SECRET: NEW });
      const answered = load.answered;
      // Reloads once: if an agent's own configuration keeps changing, its requests are told to try again.
      await reload(left[0]);
      await eventually(() => load.answered >= answered + 20 || load.failed.length > 0);
      await load.stop();
      expect(load.failed).toEqual([]);
      // The service's token, the spare credentials and the callback's secret.
      expect(await decryptAll(left[0].app, NEW)).toBe(planted + 2);
    } finally {
      // A gateway that keeps running would disturb the later tests.
      await load.stop();
      for (const gateway of left) await gateway.app.close();
      await first.upstream.close();
      await first.model.close();
    }
  });
});
