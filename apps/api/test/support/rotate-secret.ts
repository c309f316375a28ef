import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAM = join(process.cwd(), 'dist/apps/api/src/rotate-secret.js');

export interface RotationEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  lines: string[];
}

/**
 * Runs the built `npm run rotate-secret`.
 * @param killAfter kills it when it has reported this many batches
 */
export async function rotateSecret(
  environment: Record<string, string>,
  killAfter = Number.POSITIVE_INFINITY,
): Promise<RotationEnd> {
  if (!existsSync(PROGRAM)) throw new Error('dist/ is missing: run npm run build:api (npm test runs it, too)');
  const child = spawn(process.execPath, [PROGRAM], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<Omit<RotationEnd, 'lines'>>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  const lines: string[] = [];
  const read = (line: string): void => {
    lines.push(line);
    if (lines.filter((each) => each.endsWith('encrypted again')).length >= killAfter) child.kill('SIGKILL');
  };
  createInterface(child.stdout).on('line', read);
  createInterface(child.stderr).on('line', read);
  return { ...(await ended), lines };
}
