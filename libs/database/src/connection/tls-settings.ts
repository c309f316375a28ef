/** What a connection string says about TLS (PostgreSQL's manual, 34.19). Depends on node: built-ins. */
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, type ConnectionOptions } from 'node:tls';
import type { Parameters } from './conninfo.js';
import { DatabaseUrlError } from './database-url-error.js';

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
const VERSIONS = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;
type Mode = (typeof MODES)[number];

export interface TlsSettings {
  /** The attempts to connect, in order; true: with TLS. There is one attempt if TLS is always or never used. */
  readonly attempts: readonly boolean[];
  /** TLS begins without asking the server for it. */
  readonly direct: boolean;
  readonly options: ConnectionOptions;
}

export const PLAIN: TlsSettings = { attempts: [false], direct: false, options: {} };

const ATTEMPTS: Record<Mode, boolean[]> = {
  disable: [false],
  allow: [false, true],
  prefer: [true, false],
  require: [true],
  'verify-ca': [true],
  'verify-full': [true],
};

/** @param host the name that the server's certificate must have with `verify-full` */
export function parseTlsSettings(parameters: Parameters, host: string): TlsSettings {
  const hasSystemRoots = parameters.get('sslrootcert') === 'system';
  const mode = parseChoice(parameters, 'sslmode', MODES, hasSystemRoots ? 'verify-full' : 'prefer');
  if (hasSystemRoots && mode !== 'verify-full')
    throw new DatabaseUrlError('has sslrootcert=system, which needs sslmode=verify-full');
  const direct = parseChoice(parameters, 'sslnegotiation', ['postgres', 'direct'], 'postgres') === 'direct';
  if (direct && ATTEMPTS[mode].includes(false))
    throw new DatabaseUrlError('has sslnegotiation=direct, which needs sslmode=require or stricter');
  if (mode === 'disable') return PLAIN;
  // Without `ca`, Node uses its own roots and those of NODE_EXTRA_CA_CERTS.
  const ca = hasSystemRoots ? undefined : (file(parameters, 'sslrootcert', 'root.crt') ?? undefined);
  if (ca === undefined && !hasSystemRoots && mode.startsWith('verify'))
    throw new DatabaseUrlError(
      `has sslmode=${mode}, which needs sslrootcert: a file with the certificate of the authority, or system`,
    );
  const options: ConnectionOptions = {
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ca,
    // As in libpq: with root certificates, the server's certificate is always checked. Without them, it can't be.
    rejectUnauthorized: ca !== undefined || hasSystemRoots,
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
    crl: file(parameters, 'sslcrl', 'root.crl') ?? undefined,
    ...clientCertificate(parameters),
    minVersion: parseChoice(parameters, 'ssl_min_protocol_version', VERSIONS, 'TLSv1.2'),
    maxVersion: parseChoice(parameters, 'ssl_max_protocol_version', VERSIONS, 'TLSv1.3'),
    ...(direct ? { ALPNProtocols: ['postgresql'] } : {}),
  };
  return { attempts: ATTEMPTS[mode], direct, options: checked(options) };
}

/** The value of a parameter that has a few. */
export function parseChoice<T extends string>(
  parameters: Parameters,
  name: string,
  allowed: readonly T[],
  usual: T,
): T {
  const value = parameters.get(name) || usual;
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new DatabaseUrlError(`has a wrong ${name}: use ${allowed.join(', ')}`);
  return found;
}

function clientCertificate(parameters: Parameters): ConnectionOptions {
  if (parseChoice(parameters, 'sslcertmode', ['allow', 'disable'], 'allow') === 'disable') return {};
  const cert = file(parameters, 'sslcert', 'postgresql.crt');
  if (cert === null) return {};
  const key = file(parameters, 'sslkey', 'postgresql.key', true);
  if (key === null) throw new DatabaseUrlError('has sslcert, which needs sslkey: the file with its private key');
  return { cert, key, passphrase: parameters.get('sslpassword') };
}

/** Tests the files and versions now. Otherwise each connection would fail, and its error would not name the file. */
function checked(options: ConnectionOptions): ConnectionOptions {
  for (const [name, part] of [
    ['sslrootcert', { ca: options.ca }],
    ['sslcrl', { crl: options.crl }],
    ['sslcert, sslkey or sslpassword', { cert: options.cert, key: options.key, passphrase: options.passphrase }],
    [
      'ssl_min_protocol_version or ssl_max_protocol_version',
      { minVersion: options.minVersion, maxVersion: options.maxVersion },
    ],
  ] as const) {
    try {
      createSecureContext(part);
      // OpenSSL takes a file without any certificate for an empty list.
      if ('ca' in part && part.ca !== undefined) new X509Certificate(part.ca as Buffer);
    } catch {
      throw new DatabaseUrlError(`has a wrong ${name}: OpenSSL can’t use it`);
    }
  }
  return options;
}

/** A file that is named must be there. The default one of libpq may be missing. */
function file(parameters: Parameters, name: string, usual: string, isPrivate = false): Buffer | null {
  const named = parameters.get(name);
  const path = named || join(homedir(), '.postgresql', usual);
  try {
    const { mode, uid } = statSync(path);
    // libpq lets root share its key with a group.
    if (isPrivate && process.platform !== 'win32' && (mode & (uid === 0 ? 0o037 : 0o077)) !== 0)
      throw new DatabaseUrlError(`has an ${name} that other users can read: chmod 600 makes it private`);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof DatabaseUrlError) throw error;
    if (!named) return null;
    throw new DatabaseUrlError(`has an ${name} that can’t be read`);
  }
}
