import { Octokit } from '@octokit/rest';
import type { UpstreamAnswer } from '../support/fake-upstream.js';
import { BINARY, sendJson, startSdkGateway, type SdkGateway } from '../support/sdk-gateway.js';

/** @octokit/rest on the base URL of a service. Uploads have a host of their own at GitHub, and so a service of their own here. */
const ETAG = 'W/"1a2b"';
let sdk: SdkGateway;

const github: UpstreamAnswer = ({ method, path, headers, body }, response) => {
  const url = new URL(path, 'http://x');
  if (url.pathname.startsWith('/uploads/')) {
    const name = url.searchParams.get('name');
    return sendJson(response, { id: 7, name, content_type: headers['content-type'], size: body.length }, 201);
  }
  if (method === 'DELETE') return void response.writeHead(204).end();
  if (url.pathname === '/api/repos/octo/hello') {
    if (headers['if-none-match'] === ETAG) return void response.writeHead(304, { ETag: ETAG }).end();
    return sendJson(response, { full_name: 'octo/hello' }, 200, { ETag: ETAG });
  }
  const page = Number(url.searchParams.get('page') ?? 1);
  const next = `<http://${headers.host}/api/repositories/1/issues?per_page=2&page=${page + 1}>; rel="next"`;
  sendJson(response, [{ number: page * 2 - 1 }, { number: page * 2 }], 200, page < 3 ? { Link: next } : {});
};

beforeAll(async () => {
  sdk = await startSdkGateway({ name: 'GitHub', path: '/api', answer: github });
  await sdk.also('GitHub uploads', '/uploads');
  await sdk.holds('/repos/**', ['DELETE']);
});
afterAll(() => sdk.close());

const REPO = { owner: 'octo', repo: 'hello' };
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const octokit = (baseUrl = sdk.base()) => new Octokit({ baseUrl, auth: sdk.agentKey, log: silent });

it('reads every page, because the links lead back to the gateway', async () => {
  const client = octokit();
  const issues = await client.paginate(client.issues.listForRepo, { ...REPO, per_page: 2 });
  expect(issues.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
});

it('uploads a release asset byte for byte', async () => {
  const { data } = await octokit().repos.uploadReleaseAsset({
    ...REPO,
    baseUrl: sdk.base(0, 'GitHub uploads'),
    release_id: 1,
    name: 'tool.bin',
    // The SDK types this as a string, but accepts bytes.
    data: BINARY as unknown as string,
    headers: { 'content-type': 'application/octet-stream' },
  });
  expect(data).toMatchObject({ name: 'tool.bin', size: BINARY.length, content_type: 'application/octet-stream' });
  expect(sdk.calls.at(-1)!.body.equals(BINARY)).toBe(true);
});

it('gets a 304 for an ETag that it knows', async () => {
  const { data, headers } = await octokit().repos.get(REPO);
  expect([data.full_name, headers.etag]).toEqual(['octo/hello', ETAG]);
  const again = octokit().repos.get({ ...REPO, headers: { 'if-none-match': headers.etag } });
  await expect(again).rejects.toMatchObject({ name: 'HttpError', status: 304 });
});

it('is held, approved, and executed once', async () => {
  const { refused, answer } = await sdk.heldThenApproved(
    (base) => octokit(base).repos.delete(REPO),
    ({ method, path }) => method === 'DELETE' && path === '/api/repos/octo/hello',
  );
  expect(refused).toMatchObject({
    name: 'HttpError',
    status: 428,
    message: expect.stringContaining('Request requires human approval'),
  });
  expect(answer.status).toBe(204);
});

it('runs as the documentation shows', () => sdk.runsSnippets('octokit'));
