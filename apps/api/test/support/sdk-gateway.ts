import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ActionPage, Service } from '#contracts';
import { eventually } from './eventually.js';
import type { UpstreamAnswer, UpstreamCall } from './fake-upstream.js';
import { SECRET, startGateway, type Gateway } from './gateway.js';
import { readSnippets, runProgram, toJavaScript } from './snippets.js';

/** An API that an SDK talks to: its handler, and how the gateway reaches it. */
export interface SdkApi {
  /** The name of the service, as it is in the base URL. */
  name: string;
  /** Answers as the API does. The service's credential has been checked already, unless `auth` is set. */
  answer: UpstreamAnswer;
  /** Path of the API's base URL. */
  path?: string;
  /** More fields of the service. */
  service?: object;
}

/** A gateway with one service, for an SDK that is configured with nothing but a base URL and a key. */
export class SdkGateway {
  constructor(
    readonly gateway: Gateway,
    private readonly api: SdkApi,
    readonly service: Service,
    private readonly agentId: number,
    readonly agentKey: string,
  ) {}

  /** The base URL that the SDK is given. @param waitSeconds how long a held request waits for its approval */
  base(waitSeconds = 0, name = this.api.name): string {
    return `${this.gateway.url}/s/${encodeURIComponent(name)};wait=${waitSeconds};idempotency=none`;
  }

  get calls(): UpstreamCall[] {
    return this.gateway.upstream.calls;
  }

  /** Gives the agent a second service, on another path of the same upstream. */
  async also(name: string, path: string, fields: object = {}): Promise<Service> {
    const baseUrl = `${this.gateway.upstream.url}${path}`;
    const other = await this.gateway.createService({ name, baseUrl, ...fields });
    const serviceIds = [this.service.id, other.id];
    await this.gateway.admin(`PUT /agents/${this.agentId}/services`, { serviceIds });
    return other;
  }

  /** A person must approve requests to these paths. */
  async holds(pathPattern: string, methods?: string[]): Promise<void> {
    const rule = { name: 'Ask', effect: 'require_approval', pathPattern, methods };
    await this.gateway.admin(`POST /services/${this.service.id}/risk-rules`, rule);
  }

  /** The only request that waits for a decision. */
  pending(): Promise<string> {
    return eventually(async () => {
      const { items } = await this.gateway.admin<ActionPage>('GET /approvals?status=PENDING');
      return items.length === 1 && items[0].action_id;
    });
  }

  /**
   * Sends one request of an SDK twice. The first is held and becomes an error of the SDK; it is approved and executed
   * later. The second waits for its approval, and the SDK gets the API's answer from the same call.
   * @param send the request, with an SDK on this base URL
   * @param arrived which calls of the upstream count as this request
   */
  async heldThenApproved<T>(
    send: (base: string) => Promise<T>,
    arrived: (call: UpstreamCall) => boolean,
  ): Promise<{ refused: unknown; answer: T; executedBody: string }> {
    const { gateway } = this;
    const arrivals = (): number => this.calls.filter(arrived).length;
    const before = arrivals();
    const refused = await send(this.base()).then(
      () => new Error('the SDK reported no error'),
      (error: unknown) => error,
    );
    const first = await this.pending();
    expect(arrivals() - before).toBe(0);
    await gateway.approve(first);
    const execute = () => gateway.execute(first, { 'Agent-Key': this.agentKey });
    const executed = await Promise.all([execute(), execute(), execute()]);
    const done = executed.filter(({ headers }) => headers.get('x-proxy-status') === 'executed-approved');
    expect([done.length, arrivals() - before]).toEqual([1, 1]);

    const waiting = send(this.base(60));
    // If the request fails, the test must end before the wait for an action does.
    const second = await Promise.race([this.pending(), waiting.then(() => Promise.reject(new Error('was not held')))]);
    expect(arrivals() - before).toBe(1);
    await gateway.approve(second);
    const answer = await waiting;
    expect(arrivals() - before).toBe(2);
    return { refused, answer, executedBody: done[0].text };
  }

  /** Runs the snippets of a section of docs/agents/sdks.md, which must print what the text says. */
  async runsSnippets(section: string): Promise<void> {
    const snippets = readSnippets('docs/agents/sdks.md', section);
    expect(snippets.length).toBeGreaterThan(0);
    // Below the checkout, so that Node finds its packages.
    mkdirSync('.tmp', { recursive: true });
    const directory = mkdtempSync('.tmp/sdk-');
    for (const { language, code, lines } of snippets) {
      const here = code.replaceAll('127.0.0.1:3000', new URL(this.gateway.url).host).replaceAll('agt_…', this.agentKey);
      const isPython = language === 'python';
      const file = join(directory, isPython ? 'snippet.py' : 'snippet.mjs');
      writeFileSync(file, isPython ? here : toJavaScript(here));
      const { code: exit, output } = await runProgram(isPython ? 'python3' : process.execPath, [file]);
      expect({ exit, output }).toMatchObject({ exit: 0 });
      expect(output.split('\n')).toEqual(expect.arrayContaining(lines));
    }
    rmSync(directory, { recursive: true });
  }

  close(): Promise<void> {
    return this.gateway.close();
  }
}

/** Starts a gateway for one SDK. The API refuses every request that lacks the credential of the service. */
export async function startSdkGateway(api: SdkApi): Promise<SdkGateway> {
  const gateway = await startGateway();
  gateway.model.answer({ score: 0 });
  const isOpen = api.service !== undefined && 'auth' in api.service;
  gateway.upstream.answer((call, response) => {
    const isAllowed = isOpen || call.headers.authorization === `Bearer ${SECRET}`;
    if (isAllowed) api.answer(call, response);
    else response.writeHead(401, { 'Content-Type': 'application/json' }).end('{"message":"Bad credentials"}');
  });
  const baseUrl = `${gateway.upstream.url}${api.path ?? ''}`;
  const service = await gateway.createService({ name: api.name, baseUrl, ...api.service });
  const { agent, apiKey } = await gateway.createAgent('sdk', [service.id]);
  return new SdkGateway(gateway, api, service, agent.id, apiKey);
}

/** Answers with JSON. */
export const sendJson = (
  response: Parameters<UpstreamAnswer>[1],
  value: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void =>
  void response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(value));

/** The fields and files of a form that the API received. */
export const parseForm = ({ headers, body }: UpstreamCall): Promise<FormData> =>
  new Response(Uint8Array.from(body), { headers: { 'Content-Type': headers['content-type'] ?? '' } }).formData();

/** Every byte value: no text in any charset that the gateway reads. */
export const BINARY = Buffer.from(Array.from({ length: 1024 }, (_, index) => index % 256));
