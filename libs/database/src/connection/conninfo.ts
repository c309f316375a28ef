/**
 * Reads a connection string as libpq does (PostgreSQL's manual, 34.1.1): a URL, or words of the form `name=value`. Then
 * come the connection service file and the PG… variables. Depends on node: built-ins.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DatabaseUrlError } from './database-url-error.js';

export type Parameters = ReadonlyMap<string, string>;
export type Variables = Readonly<Record<string, string | undefined>>;

const RULE = 'must be a PostgreSQL connection string (postgres://…)';
const URL_START = /^postgres(ql)?:\/\//;

/** The parameters that a variable can set, too. A name that is not here has no variable, or the gateway never uses it. */
const VARIABLES: Record<string, string> = {
  host: 'PGHOST',
  hostaddr: 'PGHOSTADDR',
  port: 'PGPORT',
  dbname: 'PGDATABASE',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  passfile: 'PGPASSFILE',
  service: 'PGSERVICE',
  options: 'PGOPTIONS',
  application_name: 'PGAPPNAME',
  connect_timeout: 'PGCONNECT_TIMEOUT',
  sslmode: 'PGSSLMODE',
  sslnegotiation: 'PGSSLNEGOTIATION',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  sslcertmode: 'PGSSLCERTMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcrl: 'PGSSLCRL',
  sslcrldir: 'PGSSLCRLDIR',
  sslsni: 'PGSSLSNI',
  ssl_min_protocol_version: 'PGSSLMINPROTOCOLVERSION',
  ssl_max_protocol_version: 'PGSSLMAXPROTOCOLVERSION',
  channel_binding: 'PGCHANNELBINDING',
  require_auth: 'PGREQUIREAUTH',
  target_session_attrs: 'PGTARGETSESSIONATTRS',
};

/** The connection string takes precedence over the service file, and the service file over the variables. */
export function parseParameters(text: string, env: Variables): Parameters {
  const given = URL_START.test(text) ? fromUrl(text) : fromWords(text);
  const fromEnv = new Map(
    Object.entries(VARIABLES).flatMap(([name, variable]) => (env[variable] ? [[name, env[variable]] as const] : [])),
  );
  const service = given.get('service') ?? fromEnv.get('service');
  return new Map([...fromEnv, ...(service === undefined ? [] : fromService(service, env)), ...given]);
}

function fromUrl(text: string): Map<string, string> {
  const rest = text.replace(URL_START, '');
  const [, authority, path, query] = /^([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(rest) ?? [];
  if (authority === undefined) throw new DatabaseUrlError(RULE);
  // libpq splits at the first "@". This splits at the last one, so a password may have an "@". A host name never has.
  const at = authority.lastIndexOf('@');
  const [user, ...password] = authority.slice(0, Math.max(0, at)).split(':');
  const { host, port } = parseHost(authority.slice(at + 1));
  const found = { user, password: password.join(':'), host, port, dbname: path ?? '' };
  const parameters = new Map(
    Object.entries(found).flatMap(([name, value]) => (value === '' ? [] : [[name, decoded(value)]])),
  );
  for (const [index, word] of (query ?? '').split('&').entries()) {
    if (word === '') continue;
    const [name, value, ...more] = word.split('=');
    if (value === undefined || more.length > 0)
      throw new DatabaseUrlError(`needs one "=" in each parameter after "?": number ${index + 1} has another form`);
    addOption(parameters, decoded(name), decoded(value));
  }
  return parameters;
}

/** JDBC's `ssl=true` means what libpq calls `sslmode=require`. */
function addOption(parameters: Map<string, string>, name: string, value: string): void {
  if (name === 'ssl' && value === 'true') parameters.set('sslmode', 'require');
  else parameters.set(name, value);
}

function parseHost(text: string): { host: string; port: string } {
  const [, literal, port = ''] = /^\[([^\]]*)\](?::([^:]*))?$/.exec(text) ?? [];
  if (literal !== undefined) return { host: literal, port };
  if (text.includes(',')) throw new DatabaseUrlError(SEVERAL);
  const colon = text.indexOf(':');
  return colon < 0 ? { host: text, port: '' } : { host: text.slice(0, colon), port: text.slice(colon + 1) };
}

export const SEVERAL = 'must name one host: the gateway does not try several';

function decoded(text: string): string {
  try {
    const plain = decodeURIComponent(text);
    if (!plain.includes('\0')) return plain;
  } catch {
    // As below.
  }
  throw new DatabaseUrlError(
    'has a "%" that does not begin a percent-encoded character: write %25 for the sign itself',
  );
}

/** `name = 'a value'`: a backslash escapes a quote or a backslash. */
function fromWords(text: string): Map<string, string> {
  const parameters = new Map<string, string>();
  const word = /\s*([A-Za-z_]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s'\\]|\\.)*))(?=\s|$)/sy;
  while (word.lastIndex < text.length) {
    const found = word.exec(text);
    if (found === null) throw new DatabaseUrlError(RULE);
    parameters.set(found[1], (found[2] ?? found[3]).replace(/\\(.)/gs, '$1'));
  }
  return parameters;
}

/** The manual's 34.17. */
function fromService(service: string, env: Variables): [string, string][] {
  const files = [
    env.PGSERVICEFILE || join(homedir(), '.pg_service.conf'),
    ...(env.PGSYSCONFDIR ? [join(env.PGSYSCONFDIR, 'pg_service.conf')] : []),
  ];
  for (const file of files) {
    const lines = readIfThere(file)
      .split(/\r?\n/)
      .map((line) => line.trim());
    const start = lines.indexOf(`[${service}]`);
    if (start < 0) continue;
    const end = lines.findIndex((line, index) => index > start && line.startsWith('['));
    const section = lines.slice(start + 1, end < 0 ? undefined : end).filter((line) => /^[^#\s]/.test(line));
    return section.map((line) => {
      const equals = line.indexOf('=');
      const name = line.slice(0, Math.max(0, equals)).trim();
      if (name === '' || name === 'service')
        throw new DatabaseUrlError('has a service whose entry in the service file is not readable');
      return [name, line.slice(equals + 1).trim()];
    });
  }
  throw new DatabaseUrlError(
    'has a service that no service file defines: set PGSERVICEFILE, or write ~/.pg_service.conf',
  );
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
