import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface Person {
  sub: string;
  email?: unknown;
  email_verified?: unknown;
  name?: unknown;
  groups?: unknown;
  /** The place of claims that the provider left out. */
  _claim_names?: object;
}

let people = 0;

/** A person whom the gateway does not know yet. */
export const somebody = (fields: Partial<Person> = {}): Person => {
  const sub = `person-${++people}`;
  return { sub, email: `${sub}@example.com`, email_verified: true, name: `Person ${people}`, ...fields };
};

/** How the provider behaves from now on. Fields that are left out have their usual values. */
export interface ProviderState {
  person?: Person;
  /** Claims that replace those of the ID tokens. */
  bend?: object;
  /** Who signs the ID tokens. */
  sign?: 'own' | 'foreign' | 'none';
  /** How the token endpoint answers. */
  answer?: 'ok' | 'hang' | 'error' | 'html';
  /** The person presses Cancel. */
  deny?: boolean;
}

export interface OpenIdProviderProcess {
  url: string;
  /** With these, a gateway signs people in by this provider. */
  settings: Record<string, string>;
  set(state: ProviderState): Promise<void>;
  /** Requests to the token endpoint so far. */
  requests(): Promise<number>;
  /** The form of the last one. */
  lastForm(): Promise<URLSearchParams>;
  close(): Promise<void>;
}

/** A real OpenID provider in a process of its own. */
export async function startOpenIdProvider(redirectUri: string): Promise<OpenIdProviderProcess> {
  const script = join(process.cwd(), 'apps/api/test/stand-ins/openid-provider.mjs');
  const child = spawn(process.execPath, [script, redirectUri], { stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const exited = once(child, 'exit');
  const [chunk] = (await Promise.race([
    once(child.stdout, 'data'),
    exited.then(() => Promise.reject(new Error(`the provider ended: ${errors}`))),
  ])) as [Buffer];
  const url = `http://127.0.0.1:${Number(chunk.toString())}`;
  const control = async (body?: string): Promise<{ requests: number; lastForm: string }> => {
    const response = await fetch(`${url}/_control`, { method: 'POST', body });
    return (await response.json()) as { requests: number; lastForm: string };
  };
  return {
    url,
    settings: {
      OIDC_ISSUER: url,
      OIDC_CLIENT_ID: 'gateway',
      OIDC_CLIENT_SECRET: 'planted-openid-secret',
      OIDC_NAME: 'Example Corp',
    },
    set: async (state) => void (await control(JSON.stringify(state))),
    requests: async () => (await control()).requests,
    lastForm: async () => new URLSearchParams((await control()).lastForm),
    close: async () => {
      child.kill();
      await exited;
    },
  };
}

/** Where a response redirects to. */
export const readLocation = (response: Response): string => response.headers.get('location') ?? '';

/** A browser that follows redirects and keeps cookies by host. */
export class Browser {
  private readonly jar = new Map<string, Map<string, string>>();

  /** The cookies that a host would get now. */
  cookies(url: string): string {
    const cookies = this.jar.get(new URL(url).host) ?? new Map<string, string>();
    return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async get(url: string): Promise<Response> {
    const response = await fetch(url, { redirect: 'manual', headers: { cookie: this.cookies(url) } });
    this.keep(url, response);
    return response;
  }

  keep(url: string, response: Response): void {
    const { host } = new URL(url);
    const cookies = this.jar.get(host) ?? new Map<string, string>();
    this.jar.set(host, cookies);
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      cookies.set(name, value);
    }
  }

  /**
   * Follows redirects until a URL matches.
   * @returns that URL, which was not requested
   */
  async follow(url: string, until: (next: URL) => boolean): Promise<URL> {
    let next = new URL(url);
    for (let step = 0; step < 15; step++) {
      const response = await this.get(next.href);
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${next.href}: ${response.status} ${await response.text()}`);
      next = new URL(location, next);
      if (until(next)) return next;
    }
    throw new Error('the redirects do not end');
  }
}
