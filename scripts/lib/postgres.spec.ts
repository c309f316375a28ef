import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';

/** A process that starts PostgreSQL and reports, so that the tests can kill it. */
const LAUNCHER = `
  import { startPostgres } from ${JSON.stringify(pathToFileURL(join(__dirname, 'postgres.mjs')).href)};
  const say = (event) => process.stdout.write(JSON.stringify(event) + '\\n');
  const postgres = await startPostgres({ dataDir: process.argv[1], durable: true, log: (line) => say({ line }) });
  say({ url: postgres.url, joined: postgres.joined });
  postgres.exited.then((error) => error && say({ line: error.message }));
  process.on('SIGTERM', async () => { await postgres.stop(); process.exit(0); });
  setInterval(() => {}, 60_000);
`;

/** Each test writes one or two clusters to the disk, and `fsync` of a busy disk takes many seconds. */
jest.setTimeout(300_000);

interface Launched {
  process: ChildProcessByStdio<null, Readable, null>;
  url: string;
  joined: boolean;
  nextLine: (pattern: RegExp) => Promise<string>;
}

const launched: Launched[] = [];
let dataDir: string;

async function launch(): Promise<Launched> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', LAUNCHER, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (wanted: (event: Record<string, string>) => boolean): Promise<Record<string, string>> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error('the launcher ended');
      const event = JSON.parse(value) as Record<string, string>;
      if (wanted(event)) return event;
    }
  };
  const event = await next((candidate) => 'url' in candidate);
  const result = {
    process: child,
    url: event.url,
    joined: Boolean(event.joined),
    nextLine: async (pattern: RegExp) => (await next(({ line }) => pattern.test(line ?? ''))).line,
  };
  launched.push(result);
  return result;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows as unknown[];
  } finally {
    await client.end();
  }
}

async function end(launcher: Launched, signal: NodeJS.Signals): Promise<void> {
  const exited = once(launcher.process, 'exit');
  launcher.process.kill(signal);
  await exited;
}

const postmasterPid = () =>
  Number(fs.readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]);

describe('the embedded PostgreSQL', () => {
  beforeEach(() => {
    dataDir = fs.mkdtempSync(join(tmpdir(), 'agent-gateway-launcher-'));
    fs.chmodSync(dataDir, 0o755);
  });

  afterEach(async () => {
    for (const launcher of launched.splice(0)) {
      if (launcher.process.exitCode === null && launcher.process.signalCode === null) await end(launcher, 'SIGTERM');
    }
    const home = fs.realpathSync(join(dataDir, 'postgres'));
    for (const directory of [home, dataDir]) fs.rmSync(directory, { recursive: true, force: true });
  });

  it('keeps its data and starts again immediately after its launcher was killed', async () => {
    const first = await launch();
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await end(first, 'SIGKILL');

    const second = await launch();
    expect(second.joined).toBe(false);
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('runs once for two parallel first starts, and continues when the joined process ends', async () => {
    const both = await Promise.all([launch(), launch()]);
    const owner = both.find(({ joined }) => !joined)!;
    const guest = both.find(({ joined }) => joined)!;
    expect(guest.url).toBe(owner.url);

    await end(guest, 'SIGTERM');
    expect(await query(owner.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('restarts a killed server on the same port, and leaves no process behind when it is stopped', async () => {
    const launcher = await launch();
    const killed = postmasterPid();
    process.kill(killed, 'SIGKILL');
    expect(await launcher.nextLine(/./)).toContain('ended unexpectedly');
    expect(await launcher.nextLine(/./)).toBe('PostgreSQL is running again');
    expect(await query(launcher.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);

    const restarted = postmasterPid();
    expect(restarted).not.toBe(killed);
    await end(launcher, 'SIGTERM');
    expect(() => process.kill(restarted, 0)).toThrow('ESRCH');
  });

  it('names both versions when the data is from another PostgreSQL', async () => {
    const launcher = await launch();
    await end(launcher, 'SIGTERM');
    fs.writeFileSync(join(dataDir, 'postgres/cluster/PG_VERSION'), '12\n');

    const start = () =>
      execFileSync(process.execPath, ['--input-type=module', '-e', LAUNCHER, dataDir], {
        stdio: 'pipe',
        encoding: 'utf8',
      });
    expect(start).toThrow(/is from PostgreSQL 12; this version includes \d+\.\d+/);
  });
});
