import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Action } from '#contracts';
import { EventHub } from '../src/events/event-hub.js';
import { startGateway, type Gateway } from './support/gateway.js';

/** Runs clients/python with the system's Python against the real gateway. Each program prints one line of JSON. */
const hasPython = spawnSync('python3', ['--version']).status === 0;
const hasHttpx = hasPython && spawnSync('python3', ['-c', 'import httpx']).status === 0;
const withPython = hasPython ? describe : describe.skip;
const withHttpx = hasHttpx ? it : it.skip;
if (!hasPython) console.warn('python3 is missing: the Python client is NOT tested');
else if (!hasHttpx) console.warn('httpx is not installed: its transports are tested by a stand-in for its interface');

const STAND_IN = join(process.cwd(), 'apps/api/test/stand-ins/httpx');

withPython('the Python client', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
    await gateway.admin(`POST /services/${gateway.service.id}/risk-rules`, {
      name: 'Ask',
      effect: 'require_approval',
      pathPattern: '/held/**',
    });
    // Plays the human: decides as the path says.
    gateway.app.app.get(EventHub).subscribe({
      workspaceId: gateway.agent.userId,
      userId: gateway.agent.userId,
      onEvent: ({ type, id }) => type === 'action.created' && void decide(String(id)),
      onEnd: () => undefined,
    });
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    gateway.upstream.calls.length = 0;
    gateway.upstream.answer(({ method, path, headers, body }, response) => {
      response.writeHead(path.includes('missing') ? 404 : 200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ method, path, type: headers['content-type'], body: body.toString() }));
    });
  });

  async function decide(id: string): Promise<void> {
    const { targetUrl } = await gateway.admin<Action>(`GET /approvals/${id}`);
    if (targetUrl.includes('approve')) await gateway.approve(id);
    if (targetUrl.includes('revise'))
      await gateway.admin(`POST /approvals/${id}/revise`, {
        targetUrl: targetUrl.replace('revise', 'changed'),
        body: '{"amount":500}',
      });
    if (targetUrl.includes('deny')) await gateway.deny(id, 'Ask first');
    if (targetUrl.includes('expire')) await gateway.app.advance({ hours: 25 });
  }

  /** @returns the value that the program passed to `show` */
  async function python<T = Record<string, unknown>>(program: string): Promise<T> {
    const whole = `
import json, os, threading
import agent_gateway
from agent_gateway import *

BASE = os.environ["BASE"]
held = []
def session(kind=GatewaySession, **more):
    return kind(os.environ["GATEWAY_URL"], os.environ["AGENT_KEY"], **{"intent": "Look after customers", **more})
def caught(work):
    try:
        work()
    except GatewayError as error:
        return {"kind": type(error).__name__, **vars(error)}
def show(value):
    print(json.dumps(value))
${program}`;
    const child = spawn('python3', ['-W', 'error', '-c', whole], {
      env: {
        PATH: process.env.PATH,
        PYTHONPATH: [join(process.cwd(), 'clients/python'), ...(hasHttpx ? [] : [STAND_IN])].join(':'),
        PYTHONDONTWRITEBYTECODE: '1',
        GATEWAY_URL: gateway.url,
        AGENT_KEY: gateway.agentKey,
        BASE: `${gateway.upstream.url}/v1`,
      },
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

  it('passes method, headers and body on, and returns the upstream’s response for every status', async () => {
    const shown = await python(`
s = session()
answers = [
    s.request("GET", BASE + "/things?q=1"),
    s.request("post", BASE + "/things", json={"name": "Zoë"}),
    s.request("PUT", BASE + "/things", body="héllo", headers={"Content-Type": "text/x-own", "X-Own": "yes"}),
    s.request("DELETE", BASE + "/missing", body="bytes".encode()),
]
show([[a.status, a.url == BASE + "/things?q=1", a.headers["X-Proxy-Status"], a.json()] for a in answers])`);
    expect(shown).toEqual([
      [200, true, 'forwarded', { method: 'GET', path: '/v1/things?q=1', body: '' }],
      [200, false, 'forwarded', expect.objectContaining({ method: 'POST', type: 'application/json' })],
      [200, false, 'forwarded', { method: 'PUT', path: '/v1/things', type: 'text/x-own', body: 'héllo' }],
      [404, false, 'forwarded', expect.objectContaining({ method: 'DELETE', body: 'bytes' })],
    ]);
    expect(JSON.parse(gateway.upstream.calls[1].body.toString())).toEqual({ name: 'Zoë' });
    expect(gateway.upstream.calls[2].headers['x-own']).toBe('yes');
  });

  it('waits for a limit that starts again within a minute, and raises for a longer one', async () => {
    await gateway.admin(`POST /services/${gateway.service.id}/risk-rules`, {
      name: 'Few',
      effect: 'limit',
      pathPattern: '/few',
      limit: { count: 1, per: 'day', then: 'deny' },
    });
    const shown = await python<unknown[]>(`
import http.client
def kind(after):
    headers = http.client.HTTPMessage()
    headers["X-Error-Code"] = "limit_reached"
    headers["Retry-After"] = after
    try:
        agent_gateway._refused(GatewayResponse(429, headers, b'{"error": "Limit reached: Few", "statusCode": 429}', ""))
    except Exception as error:
        return type(error).__name__
session().request("GET", BASE + "/few")
show([kind("60"), kind("61"), caught(lambda: session().request("GET", BASE + "/few"))])`);
    expect(shown).toEqual([
      '_Away',
      'GatewayError',
      expect.objectContaining({ code: 'limit_reached', status: 429, message: 'Limit reached: Few' }),
    ]);
  });

  it('raises when the gateway refuses, and raises for an invalid text before it sends anything', async () => {
    const shown = await python<{ kind: string }[]>(`
show([
    caught(lambda: session().request("GET", "https://elsewhere.example.com/")),
    caught(lambda: session().request("POST", BASE + "/x", body="\\ud800")),
    caught(lambda: GatewaySession("http://127.0.0.1:9", "agt_x", intent="x", retries=1).request("GET", BASE)),
    caught(lambda: GatewaySession(BASE, "agt_x", intent="x").request("GET", BASE)),
])`);
    expect(shown).toMatchObject([
      { kind: 'GatewayError', status: 404, code: 'service_unknown', request_id: expect.any(String) },
      { kind: 'GatewayError', status: 0, code: 'body_not_text' },
      { kind: 'GatewayError', status: 0, code: 'gateway_unreachable' },
      { kind: 'GatewayError', status: 200, code: 'not_a_gateway' },
    ]);
    expect(gateway.upstream.calls.filter(({ path }) => path !== '/v1/proxy')).toEqual([]);
  });

  it('sends bytes that are not text, whether the request is held or not', async () => {
    const shown = await python(`
data = bytes(range(256))
s = session(on_held=lambda action: held.append([action.body, action.body_base64 is not None]))
sent = s.request("POST", BASE + "/files", body=data, headers={"Content-Type": "image/png"})
approved = s.request("POST", BASE + "/held/approve/files", body=bytearray(data))
show([sent.status, approved.status, held])`);
    expect(shown).toEqual([200, 200, [[null, true]]]);
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    expect(gateway.upstream.calls.map(({ body, headers }) => [body.equals(every), headers['content-type']])).toEqual([
      [true, 'image/png'],
      [true, 'application/octet-stream'],
    ]);
  });

  it('waits for an approval, reports the hold, and executes once', async () => {
    const shown = await python(`
s = session(on_held=lambda action: held.append([action.summary, action.dashboard_url, action.risk_score > 0]))
told = s.request("DELETE", BASE + "/held/approve/1")
quiet = session().request("POST", BASE + "/held/approve/2", body="{}")
show([held, [told.status, told.headers["X-Proxy-Status"]], quiet.json()["path"]])`);
    expect(shown).toEqual([
      [[`DELETE ${gateway.upstream.url}/v1/held/approve/1`, expect.stringContaining('/dashboard/approvals/'), true]],
      [200, 'executed-approved'],
      '/v1/held/approve/2',
    ]);
    expect(gateway.upstream.calls).toHaveLength(2);
  });

  it('raises ApprovalDenied with the note', async () => {
    const shown = await python(`
show([caught(lambda: session(on_held=lambda _: None).request(m, BASE + "/held/deny", body="{}")) for m in ["POST", "DELETE"]])`);
    const denied = { kind: 'ApprovalDenied', note: 'Ask first', code: 'approval_denied', status: 403 };
    expect(shown).toMatchObject([denied, denied]);
    expect(gateway.upstream.calls).toEqual([]);
  });

  it('continues with a revised request, and calls the caller back before it is executed', async () => {
    const shown = await python<[object, string, object, boolean]>(`
told = []
s = session(on_revised=lambda revision: told.append(vars(revision)))
answer = s.request("POST", BASE + "/held/revise/1", body='{"amount":50000}')
again = s.resume(told[0]["revises"])
show([told, answer.url, answer.json(), vars(answer.revision) == told[0], again.text == answer.text])`);
    const changed = `${gateway.upstream.url}/v1/held/changed/1`;
    const id = expect.any(String) as string;
    const revision = { action_id: id, revises: id };
    const request = { method: 'POST', targetUrl: changed, body: '{"amount":500}' };
    expect(shown).toEqual([
      [
        { ...revision, request: expect.objectContaining(request) },
        { ...revision, request: null },
      ],
      changed,
      expect.objectContaining({ path: '/v1/held/changed/1', body: '{"amount":500}' }),
      true,
      true,
    ]);
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('warns if there is no listener, and executes nothing when the caller raises', async () => {
    const shown = await python(`
import warnings
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    status = session(on_held=lambda _: None).request("DELETE", BASE + "/held/revise/2", body="{}").status
def stop(revision):
    raise RuntimeError("not what I asked for")
try:
    session(on_revised=stop).request("POST", BASE + "/held/revise/3", body="{}")
except RuntimeError as error:
    show([[str(w.message) for w in heard], status, str(error)])`);
    expect(shown).toEqual([
      [
        expect.stringMatching(
          /^a person changed the request of action .*, and DELETE http.*\/held\/changed\/2 is executed in its place$/,
        ),
      ],
      200,
      'not what I asked for',
    ]);
    expect(gateway.upstream.calls.map(({ path }) => path)).toEqual(['/v1/held/changed/2']);
  });

  it('stops on cancellation or timeout, and can be resumed', async () => {
    const shown = await python(`
cancel = threading.Event()
threading.Timer(0.5, cancel.set).start()
cancelled = caught(lambda: session().request("POST", BASE + "/held/later", body="{}", cancel=cancel))
again = caught(lambda: session().request("GET", BASE + "/things", cancel=cancel))
pending = caught(lambda: session().request("DELETE", BASE + "/held/later", timeout=0))
show([cancelled["kind"], again["kind"], pending["kind"], pending["action_id"]])`);
    expect(shown).toEqual(['Cancelled', 'Cancelled', 'ApprovalPending', expect.any(String)]);
    const actionId = (shown as unknown as string[])[3];
    await gateway.approve(actionId);
    expect(await python(`show([session().resume("${actionId}").status for _ in range(2)])`)).toEqual([200, 200]);
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('repeats with the same key when an answer is lost, and reads the stored result of an execution', async () => {
    const shown = await python(`
class Losing(GatewaySession):
    lost = set()
    def _call(self, method, path, *rest):
        answer = super()._call(method, path, *rest)
        kind = path.split("/")[-2]
        if method == "POST" and kind not in self.lost:
            self.lost.add(kind)
            raise agent_gateway._Away(GatewayError("gateway_unreachable", 0, "lost"))
        return answer
s = session(Losing, on_held=lambda _: None)
plain = s.request("POST", BASE + "/orders", body="{}")
approved = s.request("POST", BASE + "/held/approve/3", body="{}")
show([plain.status, approved.status, approved.json()["path"], approved.headers["X-Proxy-Status"], len(s.lost)])`);
    expect(shown).toEqual([200, 200, '/v1/held/approve/3', 'executed-approved', 2]);
    expect(gateway.upstream.calls).toHaveLength(2);
  });

  it('serves many threads, and shares one action for identical requests', async () => {
    const shown = await python(`
from concurrent.futures import ThreadPoolExecutor
s = session()
with ThreadPoolExecutor(20) as pool:
    own = pool.map(lambda n: s.request("POST", f"{BASE}/own/{n}", body="{}").json()["path"], range(20))
    same = pool.map(lambda _: s.request("POST", BASE + "/held/approve/4", body="{}", idempotency_key="k").status, range(20))
    show([len(set(own)), set(same) == {200}])`);
    expect(shown).toEqual([20, true]);
    expect(gateway.upstream.calls).toHaveLength(21);
  });

  it('adds params to the query', async () => {
    const shown = await python<string[]>(`
s = session()
asked = [
    ("/things", {"q": "a b&c", "page": 2, "ok": True, "none": None, "ids": [1, "ü"]}),
    ("/things?a=1#here", [("b", "2"), ("b", "3")]),
    ("/things?", {"c": 4}),
    ("/things?d=5", {}),
    ("/things", None),
]
show([s.request("GET", BASE + path, params=params).json()["path"] for path, params in asked])`);
    expect(shown).toEqual([
      '/v1/things?q=a+b%26c&page=2&ok=true&ids=1&ids=%C3%BC',
      '/v1/things?a=1&b=2&b=3',
      '/v1/things?c=4',
      '/v1/things?d=5',
      '/v1/things',
    ]);
  });

  it('suggests json= when the body is another value, and sends nothing', async () => {
    const shown = await python(`
def error_of(body):
    try:
        session().request("POST", BASE + "/things", body=body)
    except TypeError as error:
        return str(error)
show([error_of({"a": 1}), error_of([1]), error_of(5)])`);
    const text = (type: string) => `body must be str or bytes, not ${type}; to send a value as JSON, pass json=`;
    expect(shown).toEqual([text('dict'), text('list'), text('int')]);
    expect(gateway.upstream.calls).toEqual([]);
  });

  const transports = `
import asyncio, httpx
from agent_gateway_httpx import AsyncGatewayTransport, GatewayTransport
def asked(method, path, content=b"", headers=None):
    return httpx.Request(method, BASE + path, content=content, headers=headers)`;

  it('implements the interface of httpx, synchronous and asynchronous', async () => {
    const shown = await python(`${transports}
request = lambda n: asked("POST", f"/things/{n}", b'{"a": 1}', {"X-Intent": f"Through httpx {n}", "X-Own": "yes"})
direct = GatewayTransport(session()).handle_request(request(1))
async def main():
    transport = AsyncGatewayTransport(session())
    answer = await transport.handle_async_request(request(2))
    missing = await transport.handle_async_request(asked("GET", "/missing"))
    try:
        await transport.handle_async_request(asked("DELETE", "/held/deny/6"))
    except ApprovalDenied as denial:
        return [answer, missing, denial.note]
answer, missing, note = asyncio.run(main())
show([direct.status_code, json.loads(direct.content), answer.status_code, json.loads(answer.content), missing.status_code, note])`);
    const sent = (n: number) => expect.objectContaining({ method: 'POST', path: `/v1/things/${n}`, body: '{"a": 1}' });
    expect(shown).toEqual([200, sent(1), 200, sent(2), 404, 'Ask first']);
    expect(gateway.upstream.calls.map(({ headers }) => headers['x-own'])).toEqual(['yes', 'yes', undefined]);
    expect((await gateway.audit('&q=things')).map(({ intent }) => intent)).toEqual(
      expect.arrayContaining(['Through httpx 1', 'Through httpx 2']),
    );
  });

  it('blocks nothing while a hundred asynchronous requests wait for a human, and stops their waits with their tasks', async () => {
    const shown = await python(`${transports}
async def main():
    transport = AsyncGatewayTransport(session(on_held=lambda action: held.append(action.action_id)))
    waits = [asyncio.create_task(transport.handle_async_request(asked("DELETE", f"/held/later/{n}"))) for n in range(100)]
    while len(held) < 100:
        await asyncio.sleep(0.01)
    answer = await transport.handle_async_request(asked("GET", "/things"))
    for wait in waits:
        wait.cancel()
    ends = await asyncio.gather(*waits, return_exceptions=True)
    for thread in [each for each in threading.enumerate() if each.name == "agent-gateway"]:
        thread.join()
    return [answer.status_code, len(set(held)), {type(end).__name__ for end in ends} == {"CancelledError"}]
show(asyncio.run(main()))`);
    expect(shown).toEqual([200, 100, true]);
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  withHttpx('is a transport for httpx', async () => {
    const shown = await python(`
import httpx
from agent_gateway_httpx import AsyncGatewayTransport, GatewayTransport
with httpx.Client(transport=GatewayTransport(session()), timeout=None) as client:
    answer = client.post(BASE + "/held/approve/5", json={"a": 1}, headers={"X-Intent": "Through httpx"})
    missing = client.get(BASE + "/missing")
    denied = caught(lambda: client.delete(BASE + "/held/deny/5"))
async def later():
    async with httpx.AsyncClient(transport=AsyncGatewayTransport(session()), timeout=None) as client:
        return (await client.post(BASE + "/held/approve/7", json={"a": 1})).json()["path"]
import asyncio
show([answer.status_code, answer.json()["body"], missing.status_code, denied["kind"], asyncio.run(later())])`);
    expect(shown).toEqual([200, expect.stringMatching(/^\{"a": ?1\}$/), 404, 'ApprovalDenied', '/v1/held/approve/7']);
  });

  // Runs last because it moves the clock past every deadline.
  it('raises ApprovalExpired when the request is not decided in time', async () => {
    const waits = `
from time import sleep
s = session(on_held=lambda _: sleep(1))
show(caught(lambda: s.request("DELETE", BASE + "/held/expire")))`;
    expect(await python(waits)).toMatchObject({ kind: 'ApprovalExpired', code: 'action_expired' });
  });
});
