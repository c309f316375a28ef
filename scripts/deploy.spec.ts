/** What `deploy/` and the Dockerfile say about the start of the gateway is what `npm run start:prod` does. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settings } from '../apps/api/src/platform/settings.js';

const read = (file: string): string => readFileSync(join(process.cwd(), file), 'utf8');
const START = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts['start:prod'].split(
  ' ',
);

const UNIT = 'deploy/systemd/agent-gateway.service';
const valuesOf = (name: string): string[] =>
  Array.from(read(UNIT).matchAll(new RegExp(`^${name}=(.*)$`, 'gm')), ([, value]) => value);

it('the image starts the gateway with the flags of start:prod', () => {
  const command = /^CMD (\[.*\])$/m.exec(read('Dockerfile'))![1];
  expect(JSON.parse(command)).toEqual(START);
});

describe('the unit of systemd', () => {
  it('starts the gateway with the flags of start:prod, and with the environment of the image', () => {
    expect(valuesOf('ExecStart')).toEqual([['/usr/bin/node', ...START.slice(1)].join(' ')]);
    expect(valuesOf('Environment')).toContain(/^ENV (.*)$/m.exec(read('Dockerfile'))![1]);
  });

  it('gives each secret that the gateway needs in a file', () => {
    const needed = Object.entries(settings.shape)
      .filter(([, setting]) => setting.meta()?.secret && !setting.safeParse(undefined).success)
      .map(([name]) => name);
    const names = needed.map((name) => name.toLowerCase().replaceAll('_', '-'));
    expect(valuesOf('LoadCredential').sort()).toEqual(names.map((name) => `${name}:/etc/agent-gateway/${name}`).sort());
    expect(
      valuesOf('Environment')
        .filter((each) => each.includes('_FILE='))
        .sort(),
    ).toEqual(needed.map((name, index) => `${name}_FILE=%d/${names[index]}`).sort());
  });

  it('waits for the requests in progress before it kills', () => {
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThanOrEqual(40);
  });

  const { error: missing } = spawnSync('systemd-analyze', ['--version']);
  (missing ? it.skip : it)('is a unit that systemd can read (skipped without systemd-analyze)', () => {
    const directory = mkdtempSync(join(tmpdir(), 'agw-unit-'));
    try {
      const file = join(directory, 'agent-gateway.service');
      writeFileSync(file, read(UNIT).replace('/usr/bin/node', process.execPath));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
