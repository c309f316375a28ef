/** A thread that crashes, ends, hangs or uses too much memory fails its own request, and nothing else. */
import { call, login, register } from './support/accounts.js';
import type { ChildGateway } from './support/child-gateway.js';
import { eventually } from './support/eventually.js';
import { THREADS } from './support/fault-sites.js';
import { beginFaults, missing, startPlantedGateway, type ThreadFault } from './support/planted-gateway.js';
import { createService } from './support/resources.js';

const EACH: ThreadFault[] = ['throws', 'ends', 'uses too much memory', 'hangs'];
/** Larger than what the main thread parses. */
const LARGE = 300 * 1024;
const DOCUMENT = '{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{}}';
const UNEXPECTED = [500, 'Internal server error'];

let gateway: ChildGateway;
let token: string;
let workspace: number;
let service: number;
beforeAll(async () => {
  gateway = await startPlantedGateway(
    { JWT_ACCESS_EXPIRY: '1h' },
    {
      limitsMs: {
        'yaml-parser: setTimeout in toJson': 3000,
        'openapi-reader: setTimeout in readInWorker': 3000,
        'json-parser: setTimeout in rest': 100,
      },
      // Reading JSON has no time limit, because it can't take long.
      threads: { 'yaml-worker.mjs': [...EACH], 'openapi-worker.mjs': [...EACH], 'json-worker.mjs': EACH.slice(0, 3) },
    },
  );
  workspace = (await register(gateway, 'ada@example.com')).id;
  token = (await login(gateway, 'ada@example.com')).accessToken;
  service = (await createService(gateway, token, {})).id;
  await beginFaults(gateway);
});
afterAll(() => gateway?.stop());

async function describeService(content: string): Promise<[number, string | undefined]> {
  const body = { type: 'openapi', title: 'API', content };
  const answer = await call(gateway, `POST /services/${service}/documentation`, { token, body });
  return [answer.status, answer.body.error];
}

async function importYaml(): Promise<[number, string | undefined]> {
  const response = await fetch(`${gateway.url}/workspaces/${workspace}/import?dryRun=true`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/yaml' },
    body: 'format: unknown\n',
  });
  return [response.status, await response.text()];
}

async function addNotes(): Promise<[number, string | undefined]> {
  const body = { type: 'text', title: 'Notes', content: 'x'.repeat(LARGE) };
  const answer = await call(gateway, `POST /services/${service}/documentation`, { token, body });
  return [answer.status, answer.body.error];
}

const alive = async (): Promise<void> => expect((await fetch(`${gateway.url}/health`)).status).toBe(200);

it('reading OpenAPI', async () => {
  expect(await describeService(DOCUMENT)).toEqual(UNEXPECTED);
  expect(await describeService(DOCUMENT)).toEqual(UNEXPECTED);
  expect(await describeService(DOCUMENT)).toEqual([
    400,
    'content: needs too much memory to read; JSON needs less than YAML',
  ]);
  const hangs = describeService(DOCUMENT);
  await alive();
  expect(await hangs).toEqual([400, 'content: takes too long to read; JSON is read faster than YAML']);
  expect((await describeService(DOCUMENT))[0]).toBe(201);
});

it('reading YAML', async () => {
  expect((await importYaml())[0]).toBe(500);
  expect((await importYaml())[0]).toBe(500);
  expect((await importYaml())[1]).toContain('it needs too much memory to read');
  const hangs = importYaml();
  await alive();
  expect((await hangs)[1]).toContain('it takes too long to read; JSON is read faster');
  expect((await importYaml())[1]).toContain('format');
});

it('reading large JSON', async () => {
  for (let n = 0; n < 3; n++) expect(await addNotes()).toEqual(UNEXPECTED);
  expect((await addNotes())[0]).toBe(201);
});

it('the process has survived all of them, and an error in each of its listeners', async () => {
  await alive();
  await eventually(() => missing(gateway, THREADS).length === 0, 5000).catch(() => undefined);
  expect(missing(gateway, THREADS)).toEqual([]);
  expect((await describeService(DOCUMENT))[0]).toBe(201);
  expect((await importYaml())[1]).toContain('format');
  expect((await addNotes())[0]).toBe(201);
});
