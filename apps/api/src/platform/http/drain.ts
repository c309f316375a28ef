import type { Server, ServerResponse } from 'node:http';

/** Longer than the longest request: 30 s for the upstream, and some for the rest. */
const DRAIN_MS = 35_000;
/** The answer to a request that came before the drain has promised to keep its connection open: it must be closed for us. */
const SWEEP_MS = 100;

/**
 * Stops accepting connections, lets requests under way finish, and closes each connection after its answer.
 * Resolves when all are done, or after `DRAIN_MS`.
 */
export function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => {
      clearInterval(sweep);
      server.closeAllConnections();
      resolve();
    }, DRAIN_MS);
    server.prependListener('request', (_request, response: ServerResponse) => {
      response.setHeader('Connection', 'close');
    });
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    server.close(() => {
      clearTimeout(deadline);
      clearInterval(sweep);
      resolve();
    });
    server.closeIdleConnections();
  });
}
