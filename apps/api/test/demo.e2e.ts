import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, login } from './support/accounts.js';
import { freePort } from '../../../scripts/lib/free-port.mjs';
import { eventually } from './support/eventually.js';

/** `npm run demo` as a process: it starts its own PostgreSQL, gateway and sample API. */
describe('the demo', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'agent-gateway-demo-'));
  const running = new Set<ReturnType<typeof spawn>>();

  async function start(...args: string[]) {
    // Other tests start a gateway on the first free port from 3000 on, too.
    const PORT = String(await freePort());
    const child = spawn(process.execPath, ['scripts/demo.mjs', `--data-dir=${dataDir}`, ...args], {
      env: { ...process.env, NO_COLOR: '1', PORT },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
    const ended = once(child, 'close').then(([code]) => {
      running.delete(child);
      return code as number | null;
    });
    return { child, ended, output: () => output };
  }

  afterAll(() => {
    for (const child of running) child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('forwards, denies, holds, and executes what --auto approves', async () => {
    const demo = await start('--auto');
    expect({ code: await demo.ended, output: demo.output() }).toMatchObject({ code: 0 });
    const output = demo.output();
    expect(output).toMatch(/A read is forwarded[^]*→ 200 .*Alan Turing[^]*X-Proxy-Status: forwarded/);
    expect(output).toContain('→ 403 {"error":"Denied by risk rule \\"report-bot only reads\\"","statusCode":403}');
    expect(output).toMatch(/→ 428[^]*Why: Risk rule "Ask before DELETE" requires approval \(risk 0\.7\)/);
    expect(output).toMatch(
      /People are told\n.*Webhook of this terminal: .*42.* · high risk · support-bot \(signature verified\)/,
    );
    expect(output).toMatch(/Waiting for you: open http:\/\/localhost:\d+\/dashboard\/approvals\/[0-9a-f-]{36}/);
    expect(output).toMatch(/The request is executed once[^]*→ 204[^]*Cannot execute action with status EXECUTED/);
    expect(output.trimEnd().split('\n').slice(-5)).toEqual([
      expect.stringContaining('support-bot: GET '),
      expect.stringContaining('→ 404'),
      '',
      expect.stringContaining('The customer was deleted once, after a human had approved it.'),
      expect.stringContaining('Stopped.'),
    ]);
  });

  it('runs again on the same data, waits for a human, and reports a denial with its note', async () => {
    const demo = await start();
    const [, url, actionId] = await eventually(() => {
      if (demo.child.exitCode !== null) throw new Error(demo.output());
      return /open (http:\/\/[^/]+)\/dashboard\/approvals\/([0-9a-f-]{36})/.exec(demo.output());
    });
    const [, password] = await eventually(() => /with the password (\S+),/.exec(demo.output()));
    const { accessToken } = await login({ url }, 'demo@example.com', password);
    const denial = await call({ url }, `PATCH /approvals/${actionId}/deny`, {
      token: accessToken,
      body: { note: 'Ask the customer first' },
    });
    expect(denial.status).toBe(200);

    await eventually(() => demo.output().includes('Everything keeps running'));
    expect(demo.output()).toContain('the agent gets the note "Ask the customer first"');
    expect(demo.output()).toContain('The customer was not deleted: without an approval nothing is sent.');
    expect((await fetch(`${url}/ready`)).status).toBe(200);

    demo.child.kill('SIGINT');
    expect(await demo.ended).toBe(0);
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });
});
