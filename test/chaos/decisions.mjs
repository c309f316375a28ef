/**
 * Decisions of several people about one action, at the same time, on two instances: the test of apps/api/test at full
 * length, with two gateways in one process on a durable PostgreSQL.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { ROOT, runToEnd } from '../../scripts/lib/toolchain.mjs';
import { Report } from './lib/report.mjs';

const TEST = 'apps/api/test/decision-races.drill.ts';

/** @typedef {{title: string, status: string, duration?: number, failureMessages: string[]}} Outcome */

/**
 * @param {object} options
 * @param {string} options.databaseUrl
 * @param {number} options.rounds of each race
 */
export async function decisions({ databaseUrl, rounds }) {
  const report = new Report(`Races of decisions, ${rounds} rounds each`);
  const directory = mkdtempSync(join(tmpdir(), 'agw-decisions-'));
  const outputFile = join(directory, 'jest.json');
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  try {
    await runToEnd(
      process.execPath,
      // A round takes well under a second; this is for a machine that is busy with other things.
      [
        jest,
        TEST,
        '--selectProjects',
        'drills',
        `--testTimeout=${rounds * 3000}`,
        '--json',
        `--outputFile=${outputFile}`,
      ],
      {
        stdio: ['ignore', 'ignore', 'ignore'],
        env: { ...process.env, RACE_ROUNDS: String(rounds), TEST_DATABASE_URL: databaseUrl },
      },
    ).catch(() => undefined);
    for (const { title, status, duration, failureMessages } of outcomesIn(outputFile)) {
      report.check(title, status === 'passed', failureMessages.join('\n'));
      report.figure(`${title.split(/[:,]/)[0]}, ms a round`, (duration ?? 0) / rounds);
    }
    report.check('all kinds of races ran', report.checks.length >= 7, report.checks.length);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return report;
}

/** @param {string} file @returns {Outcome[]} */
function outcomesIn(file) {
  /** @type {{testResults: {assertionResults: Outcome[], message: string}[]}} */
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
  return testResults.flatMap(({ assertionResults }) => assertionResults);
}
