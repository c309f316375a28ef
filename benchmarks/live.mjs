/**
 * `node benchmarks/live.mjs`: the time from the agent's 428 to the row on the screen of a real browser, with 50
 * dashboards open on two instances. Needs a build and a Chromium. The goal: 95 of 100 within 500 ms.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { chromium } from 'playwright-core';
import { findChromium } from '../scripts/lib/chromium.mjs';
import { freePort } from '../scripts/lib/free-port.mjs';
import { startGateway } from './lib/gateway.mjs';
import { start } from './lib/processes.mjs';
import { ENVIRONMENT, START } from '../scripts/lib/production.mjs';

const DASHBOARDS = 50;
const ACTIONS = 100;
const GOAL_MS = 500;

const { child: servers, message: ports } = await start('benchmarks/lib/fake-servers.mjs');
const secrets = { JWT_SECRET: 'live-benchmark-jwt', ENCRYPTION_SECRET: 'live-benchmark-encryption-secret-32' };
const first = await startGateway({ upstreamPort: ports.upstream, modelPort: ports.model, environment: secrets });
const second = await secondInstance();
const browser = await chromium.launch(await findChromium());
const readers = new AbortController();
let reading = 0;
try {
  await measure();
} finally {
  readers.abort();
  await browser.close();
  second.kill();
  await once(second, 'exit');
  await first.stop();
  servers.kill();
}

async function measure() {
  const origins = [first.origin, second.origin];
  await ask();
  await Promise.all(Array.from({ length: DASHBOARDS }, (_, index) => openDashboard(origins[index % 2])));
  // The browser is on the instance that the agent does not call.
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  await page.goto(`${second.origin}/dashboard/login`);
  await page.getByLabel('E-mail').fill('bench@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill(first.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('Nothing needs your decision.').waitFor();

  const waits = [];
  for (let number = 1; number <= ACTIONS; number++) {
    // New rows wait behind a button, so that no row moves under a finger.
    const shown = page.getByRole('button', { name: new RegExp(`^Show ${number} new`) }).waitFor();
    const held = await fetch(`${first.origin}/proxy`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Agent-Key': first.apiKey },
      body: JSON.stringify({
        targetUrl: `http://127.0.0.1:${ports.upstream}/unruled/${number}`,
        method: 'DELETE',
        intent: `Remove number ${number}`,
      }),
    });
    if (held.status !== 428) throw new Error(`not held: ${held.status} ${await held.text()}`);
    const heldMs = performance.now();
    await held.arrayBuffer();
    await shown;
    waits.push(performance.now() - heldMs);
    // One at a time: the other dashboards read it too, and they share this machine.
    while (reading > 0) await new Promise((resolve) => setImmediate(resolve));
  }
  waits.sort((a, b) => a - b);
  const at = (quantile) => waits[Math.ceil(waits.length * quantile) - 1].toFixed(0);
  console.log(
    `${ACTIONS} held actions, ${DASHBOARDS} + 1 dashboards on 2 instances, 428 to screen: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`,
  );
  if (Number(at(0.95)) > GOAL_MS) process.exitCode = 1;
}

/** Sends a request to the service without an allow rule. */
async function ask() {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${first.accessToken}` };
  const services = await (await fetch(`${first.origin}/services`, { headers })).json();
  const { id } = services.find(({ name }) => name === 'unruled');
  const rule = { name: 'ask', effect: 'require_approval' };
  const answer = await fetch(`${first.origin}/services/${id}/risk-rules`, {
    method: 'POST',
    headers,
    body: JSON.stringify(rule),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/** The load of one open dashboard: its stream, and one GET for the action of each event. */
async function openDashboard(origin) {
  const headers = { Authorization: `Bearer ${first.accessToken}` };
  const response = await fetch(`${origin}/events`, { headers, signal: readers.signal });
  if (!response.ok) throw new Error(`GET /events: ${response.status}`);
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const part of response.body) {
      const id = /"type":"action.created".*?"id":"([^"]+)"/.exec(decoder.decode(part))?.[1];
      if (!id) continue;
      reading += 1;
      for (const path of [`/approvals/${id}`, '/approvals/counts']) {
        const answer = await fetch(origin + path, { headers });
        await answer.arrayBuffer();
      }
      reading -= 1;
    }
  };
  read().catch((error) => {
    if (!readers.signal.aborted) throw error;
  });
}

/** Another instance on the same database. */
async function secondInstance() {
  const port = await freePort();
  const child = spawn(process.execPath, START, {
    env: {
      ...process.env,
      ...ENVIRONMENT,
      ...secrets,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL: first.databaseUrl,
      LLM_BASE_URL: `http://127.0.0.1:${ports.model}/v1`,
      LLM_API_KEY: 'none',
      PRIVATE_TARGET_ALLOWLIST: `127.0.0.1:${ports.upstream}`,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const origin = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${origin}/ready`).then(
      (response) => response.ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error('the second instance did not start');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return Object.assign(child, { origin });
}
