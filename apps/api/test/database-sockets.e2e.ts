/** `DATABASE_URL` may name the directory of a Unix socket, as libpq does: `?host=/var/run/postgresql`. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseClient, parseConnection, UNLIMITED } from '#database';
import { startPostgres } from '../../../scripts/lib/postgres.mjs';
import { login, register } from './support/accounts.js';
import { startChildGateway } from './support/child-gateway.js';

let directory: string;
let postgres: Awaited<ReturnType<typeof startPostgres>>;
/** The URL with the socket alone. */
let url: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'agw-socket-'));
  // If the tests run as root, the server runs as another user.
  chmodSync(directory, 0o777);
  postgres = await startPostgres({ durable: false, socketDirectory: directory });
  const { username, password, pathname, port } = new URL(postgres.url);
  url = `postgresql://${username}:${password}@${pathname}?host=${directory}&port=${port}`;
});
afterAll(async () => {
  await postgres?.stop();
  rmSync(directory, { recursive: true });
});

it('a session is opened through the socket', async () => {
  const to = parseConnection(url);
  const client = new DatabaseClient({ to, limits: UNLIMITED, applicationName: 'test', connectMs: 0, queryMs: 0 });
  await client.connect();
  const { rows } = await client.query('SELECT inet_server_addr() AS address');
  await client.end();
  expect(rows).toEqual([{ address: null }]);
});

it('the gateway migrates, listens and works through the socket', async () => {
  const gateway = await startChildGateway({ DATABASE_URL: url });
  await register({ url: gateway.url }, 'ada@example.com');
  await login({ url: gateway.url }, 'ada@example.com');
  expect(gateway.output()).not.toContain('no connection to the database');
  await gateway.stop();
});
