import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMigratedDatabase } from './databases.js';
import { testEnvironment } from './start-app.js';

/** Node's flags and the program, as in production. */
const START = (JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }).scripts[
  'start:prod'
]
  .split(' ')
  .slice(1);
const MAIN = join(process.cwd(), START.at(-1)!);
const MIB = 1024 * 1024;

/** The built gateway as a child process: tests can read its output, its memory and its exit code. */
export interface ChildGateway {
  /** `http://127.0.0.1:<port>`; empty if it never listened. */
  url: string;
  databaseUrl: string;
  /** Everything that it has written to standard output, then everything to standard error. */
  output(): string;
  /** Resident memory, as Linux counts it. */
  rssMib(): number;
  kill(signal: NodeJS.Signals): void;
  /** Its exit code. */
  exited: Promise<number | null>;
  stop(): Promise<void>;
}

/** @param preload a module that Node loads before it */
export async function startChildGateway(environment: Record<string, string>, preload?: string): Promise<ChildGateway> {
  if (!existsSync(MAIN)) throw new Error('dist/ is missing: run npm run build:api (npm test runs it, too)');
  const databaseUrl = environment.DATABASE_URL ?? (await createMigratedDatabase());
  const child = spawn(process.execPath, [...START.slice(0, -1), ...(preload ? ['--require', preload] : []), MAIN], {
    env: {
      PATH: process.env.PATH,
      ...testEnvironment(databaseUrl),
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'info',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Two streams arrive in pieces. In one text, a piece of the one could split a line of the other.
  let [stdout, stderr] = ['', ''];
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const listening = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString('latin1');
      const [, address] = /"address":"([^"]+)","msg":"listening"/.exec(stdout) ?? [];
      if (address) resolve(address);
    });
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('latin1')));
  });
  const url = await Promise.race([listening, exited.then(() => '')]);
  return {
    url,
    databaseUrl,
    output: () => stdout + stderr,
    rssMib: () => {
      const [, pages] = readFileSync(`/proc/${child.pid}/statm`, 'utf8').split(' ');
      return (Number(pages) * 4096) / MIB;
    },
    kill: (signal) => child.kill(signal),
    exited,
    stop: async () => {
      // Like Ctrl-C. After SIGTERM it would serve for two more seconds.
      child.kill('SIGINT');
      await exited;
    },
  };
}
