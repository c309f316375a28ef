import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.js';

/** Runs a PgBouncer that is configured as Debian does it: session mode, and no parameter that it ignores. */
export async function startPgBouncer(
  program: string,
  databaseUrl: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { hostname, port: target, pathname, username, password } = new URL(databaseUrl);
  const directory = mkdtempSync(join(tmpdir(), 'agw-pgbouncer-'));
  chmodSync(directory, 0o755);
  const file = join(directory, 'pgbouncer.ini');
  const port = await freePort();
  const name = pathname.slice(1);
  const lines = [
    '[databases]',
    `${name} = host=${hostname} port=${target} user=${username} password=${decodeURIComponent(password)}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
  ];
  writeFileSync(file, lines.join('\n'));
  // It refuses to run as root.
  const asOther = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(program, ['-q', ...asOther, file], { stdio: 'ignore' });
  const exited = once(child, 'close');
  await eventually(() => canConnect(port));
  return {
    url: `postgres://${username}@127.0.0.1:${port}/${name}`,
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
      rmSync(directory, { recursive: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
