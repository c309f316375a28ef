/** How long `agent-gateway test` takes for 500 cases, with Node's start. Build first. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROUNDS = 11;
const CASES = 500;

const directory = mkdtempSync(join(tmpdir(), 'policy-tests-'));
const rules = Array.from({ length: 20 }, (_, index) => ({
  name: `Rule ${index}`,
  effect: index % 2 === 0 ? 'require_approval' : 'allow',
  methods: ['POST'],
  pathPattern: `/orders/${index}/**`,
}));
const services = [{ name: 'Shop', baseUrl: 'https://shop.example.com/v1', authType: 'bearer', rules }];
const config = { version: 1, services, agents: [{ name: 'bot', services: ['Shop'] }] };
const cases = Array.from({ length: CASES }, (_, index) => {
  const order = index % 25;
  const decision = order >= rules.length ? 'model' : order % 2 === 0 ? 'hold' : 'forward';
  const request = { method: 'POST', path: `/orders/${order}/refunds`, body: { amount: index } };
  return { service: 'Shop', agent: 'bot', request, expect: { decision } };
});

try {
  writeFileSync(join(directory, 'config.json'), JSON.stringify(config));
  writeFileSync(join(directory, 'cases.yaml'), JSON.stringify(cases));
  const args = ['scripts/start.mjs', 'test', '--config', join(directory, 'config.json'), join(directory, 'cases.yaml')];
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    execFileSync(process.execPath, args);
    return performance.now() - start;
  }).sort((one, other) => one - other);
  const shown = (ms) => `${Math.round(ms)} ms`;
  console.log(
    `${CASES} cases, ${ROUNDS} runs: median ${shown(times[(ROUNDS - 1) / 2])}, ${shown(times[0])} to ${shown(times.at(-1))}`,
  );
} finally {
  rmSync(directory, { recursive: true, force: true });
}
