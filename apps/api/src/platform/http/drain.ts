import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

/** Balancers that ask `/ready` every second have stopped sending by then; until then what they send is served. */
export const NOTICE_MS = 2_000;
/** Longer than the longest request: 30 s for the upstream, and some for the rest. */
const DRAIN_MS = 35_000;
/** The answer to a request that came before the drain has promised to keep its connection open: it must be closed for us. */
const SWEEP_MS = 100;

/** The end of serving, so that nobody's request is lost by it. */
@Injectable()
export class Drain {
  private begun = false;
  private readonly sockets = new Set<Socket>();

  /** Call it before the server listens. */
  watch(server: Server): void {
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /** `/ready` says no from then on. */
  get hasBegun(): boolean {
    return this.begun;
  }

  /**
   * Gives notice, by `/ready` and by closing each connection after its answer; then accepts no more, and lets requests
   * under way finish. Resolves when all are done, or `DRAIN_MS` after the notice.
   */
  async run(server: Server, noticeMs: number): Promise<void> {
    this.begun = true;
    server.prependListener('request', (_request, response: ServerResponse) => {
      response.setHeader('Connection', 'close');
    });
    // A connection that is closed as a balancer sends its next request on it is that request's end.
    await delay(noticeMs);
    await this.closed(server);
  }

  private closed(server: Server): Promise<void> {
    return new Promise((resolve) => {
      const deadline = setTimeout(() => {
        clearInterval(sweep);
        server.closeAllConnections();
        resolve();
      }, DRAIN_MS);
      const closeIdle = (): void => {
        server.closeIdleConnections();
        // Node counts a connection without a first request as active. Browsers and pools open such connections in advance.
        for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
      };
      const sweep = setInterval(closeIdle, SWEEP_MS);
      server.close(() => {
        clearTimeout(deadline);
        clearInterval(sweep);
        resolve();
      });
      closeIdle();
    });
  }
}
