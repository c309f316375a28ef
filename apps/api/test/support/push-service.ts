import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PushSubscriber } from './push-subscriber.js';
import type { PushMessage } from '../../src/web-push/push-request.js';
import { eventually } from './eventually.js';

interface Pushed {
  path: string;
  headers: IncomingHttpHeaders;
  /** The sender, from the verified signature. */
  sender: ReturnType<typeof PushSubscriber.verify>;
  body: Buffer;
}

/** A push service on loopback: it accepts messages that the right key signs, and cannot read them. */
export class PushService {
  readonly pushed: Pushed[] = [];
  /** The status that the next messages get. */
  status = 201;

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    readonly hostAndPort: string,
  ) {}

  static async start(): Promise<PushService> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { url: path = '', headers } = request;
        try {
          const sender = PushSubscriber.verify(headers.authorization ?? '');
          if (sender.audience !== service.url) throw new Error('for another push service');
          service.pushed.push({ path, headers, sender, body: Buffer.concat(chunks) });
          response.writeHead(service.status).end();
        } catch (error) {
          response.writeHead(403).end(String(error));
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const service = new PushService(server, `127.0.0.1:${(server.address() as AddressInfo).port}`);
    return service;
  }

  get url(): string {
    return `http://${this.hostAndPort}`;
  }

  subscriber(path = '/send/a'): PushSubscriber {
    return new PushSubscriber(this.url + path);
  }

  /** Waits for this many messages to a browser, and decrypts them with its key. */
  async received(browser: PushSubscriber, count: number): Promise<PushMessage[]> {
    const { pathname } = new URL(browser.subscription.endpoint);
    const own = await eventually(() => {
      const found = this.pushed.filter(({ path }) => path === pathname);
      return found.length >= count && found;
    });
    return own.map(({ body }) => JSON.parse(browser.decrypt(body)) as PushMessage);
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
