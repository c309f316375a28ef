import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { UPSTREAM_TIMEOUT_MS } from '#contracts';

/**
 * By then, load balancers that poll `/ready` every second have stopped sending requests. Until then, requests are
 * served.
 */
export const NOTICE_MS = 2_000;
/**
 * Longer than the answer of an upstream may take. A request that still waits for the risk model may be cut: nothing of
 * it was sent, and its claim is settled like one that a crash has left.
 */
const DRAIN_MS = UPSTREAM_TIMEOUT_MS + 5_000;
/**
 * Responses to requests from before the drain kept their connections open. These must be closed regularly while
 * draining.
 */
const SWEEP_MS = 100;

/** Stops serving without losing requests. */
@Injectable()
export class Drain {
  private begun = false;
  private readonly sockets = new Set<Socket>();

  /** Must be called before the server listens. */
  watch(server: Server): void {
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /** From then on, `/ready` fails. */
  get hasBegun(): boolean {
    return this.begun;
  }

  /**
   * First makes `/ready` fail and closes each connection after its response. Then accepts no more connections, and lets
   * requests in progress finish. Resolves when all are done, or `DRAIN_MS` after the notice time.
   */
  async run(server: Server, noticeMs: number): Promise<void> {
    this.begun = true;
    server.prependListener('request', (_request, response: ServerResponse) => {
      response.setHeader('Connection', 'close');
    });
    // A load balancer that is just sending a request would lose it if its connection were closed now. So this waits
    // first.
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
        // Node counts a connection that has not sent a request yet as active. Browsers and pools open such connections
        // in advance.
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
