import { spawn, spawnSync } from 'node:child_process';
import type { UpstreamAnswer } from '../support/fake-upstream.js';
import { BINARY, parseForm, sendJson, startSdkGateway, type SdkGateway } from '../support/sdk-gateway.js';

/** Python's `urllib`, with nothing but a base URL and a key. Each program prints one line of JSON. */
const withPython = spawnSync('python3', ['--version']).status === 0 ? describe : describe.skip;
if (withPython === describe.skip) console.warn("python3 is missing: Python's standard library is NOT tested");

const api: UpstreamAnswer = ({ method, path, headers, body }, response) => {
  if (path === '/v1/image') return void response.writeHead(200, { 'Content-Type': 'image/png' }).end(BINARY);
  if (path === '/v1/old') return void response.writeHead(302, { Location: '/v1/new' }).end();
  if (path === '/v1/missing') return sendJson(response, { code: 'no_such_thing' }, 404);
  sendJson(response, { method, path, type: headers['content-type'], body: body.toString() });
};

const PRELUDE = `
import json, os, sys, urllib.error, urllib.parse, urllib.request, uuid
def call(method, path, body=None, **headers):
    headers = {"Authorization": "Bearer " + os.environ["AGENT_KEY"], **headers}
    request = urllib.request.Request(os.environ["BASE"] + path, data=body, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
def show(value):
    print(json.dumps(value))
`;

withPython("Python's standard library", () => {
  let sdk: SdkGateway;
  beforeAll(async () => {
    sdk = await startSdkGateway({ name: 'Shop', path: '/v1', answer: api });
    await sdk.holds('/orders/*', ['DELETE']);
  });
  afterAll(() => sdk.close());

  /** @returns the output of the program */
  async function python<T>(program: string, base = sdk.base()): Promise<T> {
    const child = spawn('python3', ['-c', PRELUDE + program], {
      env: { PATH: process.env.PATH, BASE: base, AGENT_KEY: sdk.agentKey },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => (output += String(chunk)));
    child.stderr.on('data', (chunk: Buffer) => (errors += String(chunk)));
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    return JSON.parse(output) as T;
  }

  it('sends JSON and forms, reads bytes, follows a redirect, and gets errors of the API', async () => {
    const shown = await python<unknown[]>(`
posted = call("POST", "/orders", json.dumps({"name": "Zoë"}).encode(), **{"Content-Type": "application/json"})
form = call("POST", "/orders", urllib.parse.urlencode({"name": "Zoë"}).encode())
image = call("GET", "/image")
show([json.loads(posted[1]), json.loads(form[1]), image[1].hex(), json.loads(call("GET", "/old")[1])["path"], call("GET", "/missing")[0]])`);
    expect(shown).toEqual([
      { method: 'POST', path: '/v1/orders', type: 'application/json', body: '{"name": "Zo\\u00eb"}' },
      { method: 'POST', path: '/v1/orders', type: 'application/x-www-form-urlencoded', body: 'name=Zo%C3%AB' },
      BINARY.toString('hex'),
      '/v1/new',
      404,
    ]);
  });

  it('uploads a file in a form', async () => {
    await python(`
boundary = uuid.uuid4().hex
part = lambda head, content: b"".join([b"--", boundary.encode(), b"\\r\\nContent-Disposition: form-data; ", head, b"\\r\\n\\r\\n", content, b"\\r\\n"])
body = part(b'name="title"', "Zoë".encode())
body += part(b'name="file"; filename="a.png"\\r\\nContent-Type: image/png', bytes(range(256)) * 4)
body += b"--" + boundary.encode() + b"--\\r\\n"
show(call("POST", "/files", body, **{"Content-Type": "multipart/form-data; boundary=" + boundary})[0])`);
    const form = await parseForm(sdk.calls.at(-1)!);
    const file = form.get('file') as File;
    expect([form.get('title'), file.name, file.type]).toEqual(['Zoë', 'a.png', 'image/png']);
    expect(Buffer.from(await file.arrayBuffer()).equals(BINARY)).toBe(true);
  });

  it('is held, approved, and executed once', async () => {
    const { refused, answer } = await sdk.heldThenApproved(
      (base) =>
        python<[number, string]>(
          `
status, body = call("DELETE", "/orders/7")
if status != 200:
    show([status, json.loads(body)["error"]])
else:
    show([status, json.loads(body)["path"]])`,
          base,
        ).then((shown) => (shown[0] === 428 ? Promise.reject(Object.assign(new Error(shown[1]), { shown })) : shown)),
      ({ method }) => method === 'DELETE',
    );
    expect(refused).toMatchObject({ shown: [428, 'Request requires human approval'] });
    expect(answer).toEqual([200, '/v1/orders/7']);
  });

  it('runs as the documentation shows', () => sdk.runsSnippets('urllib'));
});
