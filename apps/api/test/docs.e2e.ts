import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { snippets as dashboardSnippets } from '../../dashboard/src/lib/snippets.js';
import { EventHub } from '../src/events/event-hub.js';
import { loadConfig } from '../src/platform/load-config.js';
import type { UpstreamAnswer } from './support/fake-upstream.js';
import { CLIENT_CERTIFICATE } from './support/client-certificates.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { readSnippets, runProgram, toJavaScript, type Snippet } from './support/snippets.js';
import { testEnvironment } from './support/start-app.js';

/**
 * The test runs the snippets of the documentation that are marked ```` ```bash run ```` (and python, typescript)
 * unchanged, except for addresses and keys. The `output` block below a snippet must be part of what it prints. A human
 * approves meanwhile.
 */
const RECIPES = ['curl', 'typescript', 'python', 'openai-agents', 'vercel-ai', 'langgraph'];
/** Readers of these pages have logged in with the first snippet of docs/administrators.md. */
const AFTER_LOGIN = [
  'docs/rotation.md',
  ...readdirSync('docs/connect').flatMap((name) => (name === 'README.md' ? [] : [`docs/connect/${name}`])),
];
const DOCUMENTS = [
  'README.md',
  'docs/agents.md',
  'docs/administrators.md',
  ...AFTER_LOGIN,
  ...RECIPES.map((name) => `docs/agents/${name}.md`),
];
const TEMPORARY = resolve('.tmp');
const BEARER = { headers: { authorization: 'Bearer at-1' } };
/** The data that the API gets from the last request of each page in docs/connect. */
const ARRIVES: Record<string, object> = {
  'api-key': { headers: { authorization: 'Bearer sk-live-1234' } },
  basic: { headers: { authorization: `Basic ${btoa('api:p-1234')}` } },
  templates: { path: '/v1/customers?api_key=k-1234', headers: { 'x-account': 'account a-42', 'x-version': '2' } },
  'client-credentials': BEARER,
  'refresh-token': BEARER,
  aws: { headers: { authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\//) as string } },
};

/** Replaces the values that differ in each run. */
const settled = (text: string): string =>
  text
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uuid>')
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<moment>')
    .replace(/\bagt_[0-9a-f]{8}\b/g, '<key prefix>');

/** The API of a shop with a bucket and a token endpoint, and the one GitHub call of the README. */
function shop(): UpstreamAnswer {
  let orders = 0;
  return ({ method, path, body }, response) => {
    const answer = (status: number, value?: object) => {
      response.writeHead(status, value === undefined ? {} : { 'Content-Type': 'application/json' });
      response.end(value === undefined ? undefined : JSON.stringify(value));
    };
    if (method === 'DELETE') answer(204);
    else if (path === '/v1/token') {
      const isRefresh = new URLSearchParams(body.toString()).get('grant_type') === 'refresh_token';
      answer(200, {
        access_token: 'at-1',
        token_type: 'bearer',
        expires_in: 3600,
        ...(isRefresh && { refresh_token: 'rt-2' }),
      });
    } else if (path.startsWith('/v1/my-bucket?')) answer(200, {});
    else if (path.endsWith('/chat/completions'))
      answer(200, { choices: [{ message: { content: 'Hello from the model' } }] });
    else if (method === 'POST') answer(201, { id: ++orders, ...(JSON.parse(body.toString()) as object) });
    else if (path === '/v1/customers/42') answer(200, { id: 42, name: 'Alan Turing' });
    else if (path === '/v1/user' || /^\/v1\/customers(\?|$)/.test(path)) answer(200, {});
    else answer(404, { error: 'Not found' });
  };
}

/** The environment of a reader who has installed the packages. */
const environment = {
  ...process.env,
  PYTHONPATH: resolve('clients/python'),
  PYTHONDONTWRITEBYTECODE: '1',
  // Tracing would call OpenAI.
  OPENAI_AGENTS_DISABLE_TRACING: '1',
};

const run = (program: string, args: string[], cwd: string) => runProgram(program, args, { cwd, env: environment });

const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).status === 0;
const whereInstalled = (...programs: string[]) => (programs.every(isInstalled) ? it : it.skip);

/** A reader copies the id from the previous response. */
const withActionId = (code: string): string =>
  code.replace(/^ACTION_ID=.*$/m, `ACTION_ID=$(sed -nE 's/.*"action_id":"([^"]+)".*/\\1/p' printed | tail -n 1)`);

describe.each(DOCUMENTS)('the snippets of %s', (document) => {
  const isAfterLogin = AFTER_LOGIN.includes(document);
  const login = isAfterLogin ? readSnippets('docs/administrators.md').slice(0, 1) : [];
  const snippets = [...login, ...readSnippets(document)];
  const of = (language: string) => snippets.filter((snippet) => snippet.language === language);
  let gateway: Gateway;
  let directory: string;

  beforeAll(async () => {
    gateway = await startGateway(isAfterLogin ? { PUBLIC_URL: 'https://gateway.example.com' } : {});
    gateway.upstream.answer(shop());
    await gateway.admin(`POST /services/${gateway.service.id}/risk-rules`, {
      name: 'Ask before DELETE',
      effect: 'require_approval',
      methods: ['DELETE'],
    });
    mkdirSync(TEMPORARY, { recursive: true });
    // Below the checkout, so that Node finds its packages. The client is linked as if it were installed.
    directory = mkdtempSync(join(TEMPORARY, 'docs-'));
    mkdirSync(join(directory, 'node_modules/@agent-gateway'), { recursive: true });
    symlinkSync(resolve('libs/client'), join(directory, 'node_modules/@agent-gateway/client'));
    const standIn = join('apps/api/test/stand-ins', `${basename(document, '.md')}.mjs`);
    if (existsSync(standIn)) writeFileSync(join(directory, 'model.js'), here(readFileSync(standIn, 'utf8')));
    writeFileSync(join(directory, 'client.crt'), CLIENT_CERTIFICATE.client_cert);
    writeFileSync(join(directory, 'client.key'), CLIENT_CERTIFICATE.client_key);
    // The human: approves each action when it appears.
    gateway.app.app.get(EventHub).subscribe({
      workspaceId: gateway.agent.userId,
      userId: gateway.agent.userId,
      onEvent: ({ type, id }) => type === 'action.created' && void gateway.approve(String(id)),
      onEnd: () => undefined,
    });
  });

  afterAll(async () => {
    await gateway.close();
    rmSync(directory, { recursive: true, force: true });
  });

  function here(code: string): string {
    return code
      .replaceAll('127.0.0.1:3000', new URL(gateway.url).host)
      .replace(
        /https:\/\/(api\.example\.com\/v1|api\.github\.com|id\.example\.com|s3\.[\w-]+\.amazonaws\.com)/g,
        `${gateway.upstream.url}/v1`,
      )
      .replaceAll('agt_…', gateway.agentKey)
      .replaceAll('<SERVICE_ID>', String(gateway.service.id))
      .replaceAll('<AGENT_ID>', String(gateway.agent.id));
  }

  function assertPrinted(snippet: Snippet, output: string): void {
    const printed = settled(output)
      .split('\n')
      .map((line) => line.trim());
    for (const line of snippet.lines) expect(printed).toContain(settled(line).trim());
    if (snippet.json === null) return;
    const [last] = printed.filter((line) => line !== '').slice(-1);
    expect(JSON.parse(last)).toMatchObject(JSON.parse(settled(JSON.stringify(snippet.json))) as object);
  }

  if (of('bash').length > 0) {
    whereInstalled('bash', 'curl')(
      'run in a shell, one after the other, and print what the text says',
      async () => {
        const blocks = of('bash').map(({ code }, index) => `{\n${withActionId(here(code))}} > printed-${index} 2>&1`);
        const script = [
          'set -eu',
          'curl() { command curl -sS "$@"; }',
          'touch printed',
          ...blocks.flatMap((block, index) => [block, `cat printed-${index} >> printed`]),
        ];
        const { code, output } = await run('bash', ['-c', script.join('\n')], directory);
        const printed = of('bash')
          .map((_, index) => join(directory, `printed-${index}`))
          .filter(existsSync);
        expect({ code, output, last: readFileSync(printed.at(-1)!, 'utf8') }).toMatchObject({ code: 0 });
        of('bash').forEach((snippet, index) => assertPrinted(snippet, readFileSync(printed[index], 'utf8')));
        if (document.startsWith('docs/connect/')) {
          expect(gateway.upstream.calls.at(-1) ?? {}).toMatchObject(ARRIVES[basename(document, '.md')] ?? {});
        }
      },
      60_000,
    );
  }

  if (of('python').length > 0) {
    whereInstalled('python3')(
      'run in Python, and print what the text says',
      async () => {
        for (const snippet of of('python')) {
          const { code, output } = await run('python3', ['-c', here(snippet.code)], directory);
          expect({ code, output }).toMatchObject({ code: 0 });
          assertPrinted(snippet, output);
        }
      },
      60_000,
    );
  }

  if (of('typescript').length > 0) {
    it('run in Node, and print what the text says', async () => {
      for (const snippet of of('typescript')) {
        const file = join(directory, 'snippet.mjs');
        writeFileSync(file, toJavaScript(here(snippet.code)));
        const { code, output } = await run(process.execPath, [file], directory);
        expect({ code, output }).toMatchObject({ code: 0 });
        assertPrinted(snippet, output);
      }
    });
  }
});

describe('the documentation', () => {
  it('has a row for every configuration variable', () => {
    const text = readFileSync('docs/configuration.md', 'utf8');
    const names = loadConfig(testEnvironment('postgres://localhost/x')).summary.map(({ name }) => name);
    expect(names.filter((name) => !text.includes(`| \`${name}\` |`))).toEqual([]);
  });

  it.each([
    ['curl.md', 'shell'],
    ['typescript.md', 'typescript'],
    ['python.md', 'python'],
  ])('shows in %s what the dashboard shows', (name, language) => {
    const shown = dashboardSnippets({
      gateway: 'http://127.0.0.1:3000',
      agentKey: 'agt_…',
      targetUrl: 'https://api.example.com/v1/customers/42',
    });
    const { code } = shown.find((snippet) => snippet.language === language)!;
    expect(readSnippets(`docs/agents/${name}`).map((snippet) => snippet.code)).toContain(code);
  });

  it.each(AFTER_LOGIN)('names in %s the buttons and fields as the dashboard does', (document) => {
    const shown = ['components/service-form', 'features/services', 'features/agents'].flatMap((path) =>
      messagesIn(join('apps/dashboard/src', path)),
    );
    const named = namedIn(readFileSync(document, 'utf8'));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !isShown(name, shown))).toEqual([]);
  });

  it.each(['docs/owners.md', 'docs/auditors.md'])('names in %s what the dashboard shows', (document) => {
    const shown = [
      ...messagesIn('apps/dashboard/src'),
      'libs/catalogue/src/entries/money.ts',
      'libs/contracts/src/states.ts',
    ];
    const named = namedIn(readFileSync(document, 'utf8'));
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !isShown(name, shown))).toEqual([]);
  });

  it('names the buttons and fields of the first steps as the dashboard does', () => {
    const steps = readFileSync('README.md', 'utf8').split('## The first request')[1].split('Now be the agent')[0];
    const shown = [
      'apps/dashboard/src/components/agent-key/messages.ts',
      'apps/dashboard/src/components/service-form/messages.ts',
      'apps/dashboard/src/features/setup/messages.ts',
      'libs/catalogue/src/entries/code.ts',
    ];
    const named = namedIn(steps);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !isShown(name, shown))).toEqual([]);
  });
});

/** The bold texts in a document, apart from code. */
const namedIn = (text: string): string[] =>
  [...text.replace(/^ *```[^]*?^ *```$/gm, '').matchAll(/\*\*([^*]+)\*\*/g)].map(([, name]) =>
    name.replaceAll(/\s+/g, ' '),
  );

const messagesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).flatMap((name) =>
    name.endsWith('messages.ts') ? [join(directory, name)] : [],
  );

/** Whether one of the files contains the text, or a template that produces it. */
function isShown(name: string, files: readonly string[]): boolean {
  const sources = files.map((path) => readFileSync(path, 'utf8'));
  if (sources.some((source) => source.includes(`'${name}'`))) return true;
  const templates = sources.flatMap((source) => [...source.matchAll(/`([^`$]*[a-z][^`$]*\$\{[^`{}]+\}[^`]*)`/gi)]);
  return templates.some(([, template]) => {
    const parts = template.split(/\$\{[^{}]+\}/);
    return name.startsWith(parts[0]) && name.endsWith(parts.at(-1)!) && name.length > parts.join('').length;
  });
}
