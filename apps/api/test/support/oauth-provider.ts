import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export type ProviderMode =
  'ok' | 'held' | 'hang' | 'html' | 'redirect' | 'big' | 'error' | 'client' | 'grant' | 'odd' | 'fewer';

/** A real OAuth 2 provider in a process of its own. */
export class OAuthProviderProcess {
  constructor(
    readonly port: number,
    private readonly stop: () => Promise<void>,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get hostAndPort(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** How its token endpoint answers from now on. Requests that are `held` continue when the mode changes. */
  async mode(mode: ProviderMode): Promise<void> {
    await this.control({ mode });
  }

  /** Uses the last spent refresh token again, so that the provider ends the grant. */
  async reuse(): Promise<void> {
    await this.control({ reuse: true });
  }

  /** Requests to its token endpoint so far. */
  async requests(): Promise<number> {
    return (await this.state()).requests;
  }

  async state(): Promise<{ requests: number; held: number }> {
    const response = await fetch(`${this.url}/_control`);
    return (await response.json()) as { requests: number; held: number };
  }

  /** Signs in as a person does in a browser. @returns where the provider sends the browser back to */
  async signIn(url: string): Promise<URL> {
    const cookies = new Map<string, string>();
    let next = new URL(url);
    for (let step = 0; step < 12; step++) {
      const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
      const response = await fetch(next, { redirect: 'manual', headers });
      for (const cookie of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
        cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${next.href}: ${response.status} ${await response.text()}`);
      next = new URL(location, next);
      if (next.origin !== this.url) return next;
    }
    throw new Error('the sign-in does not end');
  }

  close(): Promise<void> {
    return this.stop();
  }

  private async control(body: object): Promise<void> {
    await fetch(`${this.url}/_control`, { method: 'POST', body: JSON.stringify(body) });
  }
}

export async function startOAuthProvider(redirectUri: string): Promise<OAuthProviderProcess> {
  const script = join(process.cwd(), 'apps/api/test/stand-ins/oauth-provider.mjs');
  const child = spawn(process.execPath, [script, redirectUri], { stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const port = await Promise.race([
    once(child.stdout, 'data').then(([chunk]: Buffer[]) => Number(chunk.toString())),
    once(child, 'exit').then(() => Promise.reject(new Error(`the provider ended: ${errors}`))),
  ]);
  const exited = once(child, 'exit');
  return new OAuthProviderProcess(port, async () => {
    child.kill();
    await exited;
  });
}
