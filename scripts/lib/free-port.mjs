import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Systems take the local ports of outgoing connections from 32768 on, or higher. A connection could take such a port
 * before its server starts, or while it restarts. These ports are below.
 */
const [FIRST, END] = [20_000, 32_768];
const ATTEMPTS_MAX = 100;

/** A port on 127.0.0.1 on which nothing listens, and that no outgoing connection takes. @returns {Promise<number>} */
export async function freePort() {
  for (let attempt = 1; ; attempt++) {
    const port = FIRST + Math.floor(Math.random() * (END - FIRST));
    const probe = createServer().listen(port, '127.0.0.1');
    try {
      await once(probe, 'listening');
      probe.close();
      await once(probe, 'close');
      return port;
    } catch (error) {
      if (attempt === ATTEMPTS_MAX) throw error;
    }
  }
}
