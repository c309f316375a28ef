/**
 * Where the database is and how to reach it, from `DATABASE_URL`. What libpq understands and the gateway can't do is
 * refused: see docs/operators.md#database-url.
 */
import { isIP } from 'node:net';
import { userInfo } from 'node:os';
import { parseParameters, SEVERAL, type Parameters, type Variables } from './conninfo.js';
import { DatabaseUrlError } from './database-url-error.js';
import { passwordFrom } from './password-file.js';
import { parseChoice, parseTlsSettings, PLAIN, type TlsSettings } from './tls-settings.js';

export interface DatabaseConnection {
  /** A name, an address, or the directory of a Unix socket. */
  readonly host: string;
  /** The address to connect to instead of looking the name up. */
  readonly address: string | null;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password: string | null;
  readonly tls: TlsSettings;
  readonly channelBinding: 'disable' | 'prefer' | 'require';
  readonly applicationName: string | null;
  /** Command-line options for the server. */
  readonly options: string | null;
  /** How long connecting may take; null: as long as the gateway itself allows. */
  readonly connectMs: number | null;
  readonly keepAlive: boolean;
  readonly keepAliveIdleMs: number;
  /** Whether the server must not be a standby. */
  readonly primaryOnly: boolean;
}

const USED = new Set(
  `host hostaddr port dbname user password passfile service options application_name fallback_application_name connect_timeout
  sslmode sslnegotiation sslcert sslkey sslpassword sslcertmode sslrootcert sslcrl ssl_min_protocol_version
  ssl_max_protocol_version channel_binding target_session_attrs keepalives keepalives_idle`.split(/\s+/),
);

/** The values that change nothing here. Any other value is refused, because nobody would notice that it has no effect. */
const WITHOUT_EFFECT: Record<string, string[]> = {
  client_encoding: ['UTF8', 'utf8', 'UTF-8', 'utf-8', 'auto'],
  gssencmode: ['disable', 'prefer'],
  load_balance_hosts: ['disable'],
  sslcompression: ['0'],
  sslsni: ['1'],
  // What the driver pg asks for to get libpq's behaviour.
  uselibpqcompat: ['true'],
};

const REFUSED = new Set(
  `require_auth sslcrldir requiressl requirepeer replication gssdelegation gsslib krbsrvname tcp_user_timeout keepalives_interval
  keepalives_count min_protocol_version max_protocol_version sslkeylogfile scram_client_key scram_server_key
  oauth_issuer oauth_client_id oauth_client_secret oauth_scope servicefile`.split(/\s+/),
);

/** @throws DatabaseUrlError */
export function parseConnection(text: string, env: Variables = {}): DatabaseConnection {
  const parameters = parseParameters(text, env);
  for (const [name, value] of parameters) assertKnown(name, value);
  const address = parameters.get('hostaddr') || null;
  const host = parameters.get('host') || address;
  if (host === null)
    throw new DatabaseUrlError('must name a host: a name, an address, or a directory (?host=/var/run/postgresql)');
  if (`${host}${parameters.get('port')}`.includes(',')) throw new DatabaseUrlError(SEVERAL);
  if (address !== null && isIP(address) === 0) throw new DatabaseUrlError('has a wrong hostaddr: use an IP address');
  if (host.startsWith('@')) throw new DatabaseUrlError('has a socket in the abstract namespace, which Node can’t open');
  const port = integer(parameters, 'port', 1, 65_535) ?? 5432;
  const user = parameters.get('user') || userInfo().username;
  const database = parameters.get('dbname') || user;
  const isSocket = host.startsWith('/');
  const seconds = integer(parameters, 'connect_timeout', -1, 2_000_000);
  return {
    host,
    address,
    port,
    user,
    database,
    password:
      parameters.get('password') || passwordFrom(parameters.get('passfile') || null, { host, port, database, user }),
    tls: isSocket ? PLAIN : parseTlsSettings(parameters, host),
    channelBinding: parseChoice(parameters, 'channel_binding', ['disable', 'prefer', 'require'], 'prefer'),
    applicationName: parameters.get('application_name') || parameters.get('fallback_application_name') || null,
    options: parameters.get('options') || null,
    connectMs: seconds === null || seconds <= 0 ? null : seconds * 1000,
    keepAlive: parseChoice(parameters, 'keepalives', ['0', '1'], '1') === '1',
    keepAliveIdleMs: (integer(parameters, 'keepalives_idle', 0, 2_000_000) ?? 0) * 1000,
    primaryOnly:
      parseChoice(parameters, 'target_session_attrs', ['any', 'read-write', 'primary', 'prefer-standby'], 'any') !==
        'any' && parameters.get('target_session_attrs') !== 'prefer-standby',
  };
}

/** A name that libpq does not know may be a part of a secret, so it is not shown. */
function assertKnown(name: string, value: string): void {
  if (USED.has(name) || WITHOUT_EFFECT[name]?.includes(value)) return;
  if (WITHOUT_EFFECT[name]) throw new DatabaseUrlError(`has a ${name} that the gateway can’t use: leave it out`);
  if (REFUSED.has(name)) throw new DatabaseUrlError(`has ${name}, which the gateway can’t use: leave it out`);
  throw new DatabaseUrlError(
    'has a parameter that libpq does not know: a typing error, or a character of the password that must be percent-encoded',
  );
}

function integer(parameters: Parameters, name: string, min: number, max: number): number | null {
  const text = parameters.get(name)?.trim();
  if (!text) return null;
  if (!/^-?\d{1,9}$/.test(text) || Number(text) < min || Number(text) > max)
    throw new DatabaseUrlError(`has a wrong ${name}: use an integer from ${min} to ${max}`);
  return Number(text);
}
