import { randomUUID } from 'node:crypto';
import type { Action } from '#contracts';
import { createGatewayFetch, type Fetch, type GatewayOptions } from '../../../../libs/client/src/index.js';
import { eventually } from './eventually.js';
import { startGateway, type Gateway } from './gateway.js';

/**
 * A gateway for the client. It holds requests below `/held`, and denies those below `/never`. The upstream describes
 * what it gets.
 */
export class ClientGateway {
  gateway!: Gateway;

  constructor() {
    beforeAll(async () => {
      this.gateway = await startGateway();
      await this.gateway.admin(`POST /services/${this.gateway.service.id}/risk-rules`, {
        name: 'Ask',
        effect: 'require_approval',
        pathPattern: '/held/**',
      });
      await this.gateway.admin(`POST /services/${this.gateway.service.id}/risk-rules`, {
        name: 'Never',
        effect: 'deny',
        pathPattern: '/never/**',
      });
    });
    afterAll(() => this.gateway?.close());
    beforeEach(() => {
      this.gateway.upstream.calls.length = 0;
      this.gateway.upstream.answer((call, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify({ method: call.method, path: call.path, body: call.body.toString() }));
      });
    });
  }

  target(path: string): string {
    return `${this.gateway.upstream.url}/v1${path}`;
  }

  heldTarget(): string {
    return this.target(`/held/${randomUUID()}`);
  }

  storedAction(id: string): Promise<Action> {
    return this.gateway.admin<Action>(`GET /approvals/${id}`);
  }

  settings(more: Partial<GatewayOptions> = {}): GatewayOptions {
    return { gatewayUrl: this.gateway.url, agentKey: this.gateway.agentKey, intent: 'Look after customers', ...more };
  }

  client(more?: Partial<GatewayOptions>): Fetch {
    return createGatewayFetch(this.settings(more));
  }

  /** The one action for this target, as soon as it exists. */
  actionOn(url: string): Promise<Action> {
    return eventually(async () => {
      const { items } = await this.gateway.admin<{ items: Action[] }>('GET /approvals?limit=200');
      return items.find(({ targetUrl }) => targetUrl === url);
    });
  }
}

type Caught = Error & { code: string; requestId: string | null; actionId: string };
/** The error that a call of the client ends with. */
export const caught = async (promise: Promise<unknown>): Promise<Caught> => {
  try {
    await promise;
  } catch (error) {
    return error as Caught;
  }
  throw new Error('did not reject');
};

/** The platform's fetch, which records its calls and lets a test change its behaviour. */
export function observed(
  disturb: (route: string, send: () => Promise<Response>) => Promise<Response> = (_route, send) => send(),
) {
  const routes: string[] = [];
  const keys: (string | undefined)[] = [];
  const fetch: Fetch = (input, init) => {
    const route = `${init?.method} ${new URL(input).pathname.replace(/[0-9a-f-]{36}$/, ':id')}`;
    routes.push(route);
    keys.push((init?.headers as Record<string, string>)['Idempotency-Key']);
    return disturb(route, () => globalThis.fetch(input, init));
  };
  return { fetch, routes, keys };
}

/** Lets a call do its work once, and then loses the answer. */
export function losing(lost: string) {
  let times = 0;
  return observed(async (route, send) => {
    const answer = await send();
    if (route === lost && ++times === 1) throw new TypeError('fetch failed');
    return answer;
  });
}
