import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { SELF_SIGNED } from '../../../egress/test/self-signed.js';
import { parseConnection } from './database-connection.js';
import { DatabaseUrlError } from './database-url-error.js';

const directory = mkdtempSync(join(tmpdir(), 'agw-connection-'));
afterAll(() => rmSync(directory, { recursive: true }));

function file(name: string, text: string, mode = 0o600): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const CERTIFICATE = file('root.crt', SELF_SIGNED.cert);
const readFault = (text: string, env = {}): string => {
  try {
    parseConnection(text, env);
  } catch (error) {
    if (error instanceof DatabaseUrlError) return error.message;
    throw error;
  }
  return 'none';
};

describe('a connection string', () => {
  const place = { host: 'db.example', port: 5432, user: 'ann', database: 'gw', password: 'secret' };
  it.each([
    ['postgres://ann:secret@db.example/gw', place],
    ['postgresql://ann:secret@db.example:5432/gw?', place],
    ['postgresql://db.example/gw?user=ann&password=secret', place],
    ['postgresql:///gw?host=db.example&user=ann&password=secret&port=5432', place],
    ["host=db.example dbname = gw  user='ann' password=secret", place],
    [
      String.raw`host=db.example dbname=gw user=ann password='it\'s \\ a = b'`,
      { ...place, password: String.raw`it's \ a = b` },
    ],
    ['postgresql://ann@/gw?host=/var/run/postgresql', { ...place, host: '/var/run/postgresql', password: null }],
    ['postgresql://ann@%2Fvar%2Frun%2Fpostgresql/gw', { ...place, host: '/var/run/postgresql', password: null }],
    ['postgresql://ann:secret@[2001:db8::1]:6000/gw', { ...place, host: '2001:db8::1', port: 6000 }],
    ['postgres://ann:p%40ss%3A%2F%25@db.example/gw', { ...place, password: 'p@ss:/%' }],
    ['postgres://ann:p@ss:w#rd@db.example/gw', { ...place, password: 'p@ss:w#rd' }],
    ['postgres://ann:secret@db.example', { ...place, database: 'ann' }],
    ['postgres://db.example/gw', { ...place, user: userInfo().username, password: null }],
  ])('%s is read as libpq reads it', (text, expected) => {
    expect(parseConnection(text)).toMatchObject(expected);
  });

  it('reads back every user, password and database that is percent-encoded', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 3, maxLength: 3 }), (parts) => {
        fc.pre(!parts.join('').includes('\0'));
        const [user, password, database] = parts;
        const [a, b, c] = parts.map(encodeURIComponent);
        expect(parseConnection(`postgres://${a}:${b}@h/${c}`)).toMatchObject({ user, password, database });
        const [x, y, z] = parts.map((part) => `'${part.replace(/[\\']/g, String.raw`\$&`)}'`);
        expect(parseConnection(`user=${x} password=${y} dbname=${z} host=h`)).toMatchObject({
          user,
          password,
          database,
        });
      }),
    );
  });

  it('is refused with a reason that shows no part of it, whatever it is', () => {
    const noise = fc.string({ unit: 'grapheme' });
    const pieces = fc.constantFrom(
      'postgres://',
      '?',
      '&',
      '=',
      '@',
      ':',
      '/',
      '%',
      "'",
      'host=',
      'sslmode=',
      ',',
      'passfile=',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, noise, fc.constant('PLANTED'))), (words) => {
        expect(readFault(words.join(''))).not.toContain('PLANTED');
      }),
    );
  });

  it.each([
    ['mysql://db/x', 'must be a PostgreSQL connection string (postgres://…)'],
    ['nonsense', 'must be a PostgreSQL connection string (postgres://…)'],
    ['postgres://ann@/gw', 'must name a host'],
    ['postgres://ann@one,two/gw', 'must name one host'],
    ['postgres://ann@one:1,two:2/gw', 'must name one host'],
    ['postgres://ann@/gw?host=one,two', 'must name one host'],
    ['host=one port=1,2', 'must name one host'],
    ['postgres://h/gw?port=70000', 'has a wrong port'],
    ['postgres://h:db/gw', 'has a wrong port'],
    ['postgres://ann:50%@h/gw', 'write %25'],
    [
      'postgres://h/gw?sslmode=no-verify',
      'has a wrong sslmode: use disable, allow, prefer, require, verify-ca, verify-full',
    ],
    ['postgres://h/gw?sslmode=verify-full', 'has sslmode=verify-full, which needs sslrootcert'],
    ['postgres://h/gw?sslmode=verify-ca', 'has sslmode=verify-ca, which needs sslrootcert'],
    ['postgres://h/gw?sslrootcert=system&sslmode=require', 'has sslrootcert=system, which needs sslmode=verify-full'],
    ['postgres://h/gw?sslnegotiation=direct', 'has sslnegotiation=direct, which needs sslmode=require'],
    ['postgres://h/gw?sslmode=require&sslrootcert=/none', 'has an sslrootcert that can’t be read'],
    [`postgres://h/gw?sslrootcert=${file('empty.crt', 'nothing')}`, 'has a wrong sslrootcert'],
    [`postgres://h/gw?sslcert=${CERTIFICATE}`, 'has sslcert, which needs sslkey'],
    [
      `postgres://h/gw?sslcert=${CERTIFICATE}&sslkey=${file('open.key', SELF_SIGNED.key, 0o644)}`,
      'has an sslkey that other users can read',
    ],
    ['postgres://h/gw?require_auth=scram-sha-256', 'has require_auth, which the gateway can’t use'],
    ['postgres://h/gw?gssencmode=require', 'has a gssencmode that the gateway can’t use'],
    ['postgres://h/gw?client_encoding=latin1', 'has a client_encoding that the gateway can’t use'],
    ['postgres://h/gw?target_session_attrs=standby', 'has a wrong target_session_attrs'],
    ['postgres://h/gw?sslmod=require', 'has a parameter that libpq does not know'],
    ['postgres://h/gw?sslmode', 'number 1 has another form'],
    ['postgres://h/gw?connect_timeout=soon', 'has a wrong connect_timeout'],
    ['postgres://h/gw?hostaddr=db.example', 'has a wrong hostaddr'],
    ['postgres://h/gw?passfile=/none', 'has a passfile that can’t be read'],
    [`postgres://h/gw?passfile=${file('open-pgpass', 'h:*:*:*:x', 0o644)}`, 'has a passfile that other users can read'],
    ['postgres://h/gw?service=none', 'has a service that no service file defines'],
  ])('%s is refused with the name of the parameter', (text, reason) => {
    expect(readFault(text)).toContain(reason);
  });

  it('takes its password from the first fitting line of a password file', () => {
    const passfile = file('pgpass', '# no\nother:*:*:*:wrong\nh:5432:a\\:b:ann:pa\\:ss\\\\\n*:*:*:*:last\n');
    const of = (rest: string) => parseConnection(`postgres://ann@h/${rest}?passfile=${passfile}`).password;
    expect([of('a%3Ab'), of('other')]).toEqual(['pa:ss\\', 'last']);
  });

  it('takes a value from the service file before environment variables, and its own value first of all', () => {
    const PGSERVICEFILE = file(
      'services',
      '[none]\nhost=x\n[gw]\n# no\nhost=from-service\nport=7000\r\n\n[more]\nuser=x\n',
    );
    const env = { PGSERVICEFILE, PGHOST: 'from-env', PGUSER: 'env', PGPASSWORD: 'pw', PGSSLMODE: 'disable' };
    expect(parseConnection('postgres:///gw?service=gw&port=8000', env)).toMatchObject({
      host: 'from-service',
      port: 8000,
      user: 'env',
      password: 'pw',
      tls: { attempts: [false] },
    });
  });

  it.each([
    ['disable', [false], undefined],
    ['allow', [false, true], false],
    ['prefer', [true, false], false],
    ['require', [true], false],
  ])(
    'sslmode=%s tries what libpq tries, and verifies nothing without a root certificate',
    (mode, attempts, verifies) => {
      const { tls } = parseConnection(`postgres://h/gw?sslmode=${mode}`);
      expect(tls.attempts).toEqual(attempts);
      expect(tls.options.rejectUnauthorized).toBe(verifies);
    },
  );

  it('reads the other parameters', () => {
    const options =
      'application_name=mine&connect_timeout=3&options=-c%20geqo%3Doff&keepalives=0&channel_binding=require';
    expect(parseConnection(`postgres://h/gw?${options}&target_session_attrs=read-write&ssl=true`)).toMatchObject({
      applicationName: 'mine',
      connectMs: 3000,
      options: '-c geqo=off',
      keepAlive: false,
      channelBinding: 'require',
      primaryOnly: true,
      tls: { attempts: [true] },
    });
    expect(parseConnection('postgres://ann@/gw?host=/tmp&sslmode=verify-full').tls.attempts).toEqual([false]);
  });
});
