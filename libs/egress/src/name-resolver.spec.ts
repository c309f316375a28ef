import { pbkdf2 } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { catchFailure, cleanups, clientFor, get, ok, serve } from '../test/client.js';
import { startNameserver } from '../test/nameserver.mjs';
import { NameResolver } from './name-resolver.js';

type Zone = Parameters<typeof startNameserver>[0];

let directory: string;
let hostsFile: string;
let resolvConf: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'names-'));
  hostsFile = join(directory, 'hosts');
  resolvConf = join(directory, 'resolv.conf');
  writeFileSync(hostsFile, '');
  writeFileSync(resolvConf, '');
});
afterEach(() => rmSync(directory, { recursive: true }));

async function resolverFor(zone: Zone) {
  const nameserver = await startNameserver(zone);
  cleanups.push(() => nameserver.close());
  return { names: new NameResolver({ servers: [nameserver.address], hostsFile, resolvConf }), nameserver };
}

const v4 = (address: string) => ({ address, family: 4 });
const v6 = (address: string) => ({ address, family: 6 });

describe('a host name', () => {
  it('resolves to all its addresses of both families', async () => {
    const { names } = await resolverFor({ 'api.test': ['1.1.1.1', '2606:4700::1111', '1.0.0.1'] });
    expect(await names.resolve('api.test')).toEqual([v4('1.1.1.1'), v4('1.0.0.1'), v6('2606:4700::1111')]);
  });

  it('resolves to addresses of one family if it has no others', async () => {
    const { names } = await resolverFor({ 'six.test': ['2606:4700::1111'] });
    expect(await names.resolve('six.test')).toEqual([v6('2606:4700::1111')]);
  });

  it.each([
    ['does not exist', {}, 'ENOTFOUND'],
    ['has no address', { 'x.test': [] }, 'ENOTFOUND'],
    ['cannot be resolved', { 'x.test': 'servfail' }, 'EAI_AGAIN'],
  ] as [string, Zone, string][])('that %s is an error', async (_name, zone, code) => {
    const { names } = await resolverFor(zone);
    await expect(names.resolve('x.test')).rejects.toMatchObject({ code });
  });
});

describe('the hosts file', () => {
  it('takes precedence over DNS, in any letter case, and is read again when it changes', async () => {
    const { names, nameserver } = await resolverFor({ 'db.test': ['1.1.1.1'] });
    expect(await names.resolve('db.test')).toEqual([v4('1.1.1.1')]);
    nameserver.questions.length = 0;
    writeFileSync(
      hostsFile,
      '10.0.0.7\tDB.test billing # the old one\n::7 db.test\n# 9.9.9.9 db.test\nnonsense db.test\n',
    );
    expect(await names.resolve('db.TEST')).toEqual([v4('10.0.0.7'), v6('::7')]);
    expect(await names.resolve('billing')).toEqual([v4('10.0.0.7')]);
    expect(nameserver.questions).toEqual([]);
    rmSync(hostsFile);
    expect(await names.resolve('db.test')).toEqual([v4('1.1.1.1')]);
    writeFileSync(hostsFile, '');
  });

  it('need not contain localhost, which is never looked up in DNS', async () => {
    const { names, nameserver } = await resolverFor({});
    expect(await names.resolve('localhost')).toEqual([v4('127.0.0.1'), v6('::1')]);
    expect(await names.resolve('x.localhost')).toEqual([v4('127.0.0.1'), v6('::1')]);
    expect(nameserver.questions).toEqual([]);
  });
});

describe('the search list', () => {
  const ZONE: Zone = {
    'billing.shop.svc': ['10.0.0.1'],
    'billing.svc': ['10.0.0.2'],
    'a.b': ['1.1.1.1'],
    'a.b.svc': ['10.0.0.3'],
    'sick.shop.svc': 'servfail',
    'sick.svc': ['10.0.0.4'],
    'late.test': ['1.0.0.1'],
    'late.test.shop.svc': 'silent',
  };

  it('completes short names in its own order, and is read again when it changes', async () => {
    const { names } = await resolverFor(ZONE);
    await expect(names.resolve('billing')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    writeFileSync(resolvConf, 'search shop.svc svc\n');
    expect(await names.resolve('billing')).toEqual([v4('10.0.0.1')]);
    writeFileSync(resolvConf, 'domain svc.\n# search other\n');
    expect(await names.resolve('billing')).toEqual([v4('10.0.0.2')]);
  });

  it('is tried first for names with fewer dots than ndots', async () => {
    const { names } = await resolverFor(ZONE);
    writeFileSync(resolvConf, 'search shop.svc svc\n');
    expect(await names.resolve('a.b')).toEqual([v4('1.1.1.1')]);
    writeFileSync(resolvConf, 'search shop.svc svc\noptions timeout:1 ndots:5\n');
    expect(await names.resolve('a.b')).toEqual([v4('10.0.0.3')]);
  });

  it('is not used for a name that ends in a dot', async () => {
    const { names, nameserver } = await resolverFor(ZONE);
    writeFileSync(resolvConf, 'search shop.svc\noptions ndots:5\n');
    expect(await names.resolve('a.b.')).toEqual([v4('1.1.1.1')]);
    expect(new Set(nameserver.questions)).toEqual(new Set(['A a.b', 'AAAA a.b']));
  });

  it('continues after a domain that fails', async () => {
    const { names } = await resolverFor(ZONE);
    writeFileSync(resolvConf, 'search shop.svc svc\n');
    expect(await names.resolve('sick')).toEqual([v4('10.0.0.4')]);
  });

  it('is not used further if one of its domains does not respond, and only the name itself is still looked up', async () => {
    const { names, nameserver } = await resolverFor(ZONE);
    writeFileSync(resolvConf, 'search shop.svc svc\noptions ndots:5\n');
    expect(await names.resolve('late.test')).toEqual([v4('1.0.0.1')]);
    expect(nameserver.questions.join()).not.toContain('late.test.svc');
  });
});

describe('a zone whose nameserver does not respond', () => {
  it('delays neither other names nor the threads of Node', async () => {
    const server = await serve(ok('here'));
    const { names } = await resolverFor({ '*.dead.test': 'silent', 'upstream.test': ['127.0.0.1'] });
    const client = clientFor([server.port], { resolver: names.resolve, timeoutMs: 60_000 });
    const ended: string[] = [];
    const dead = Array.from({ length: 100 }, (_, n) =>
      catchFailure(client.send(get(`http://n${n}.dead.test/`))).then((failure) => {
        ended.push('dead');
        return failure;
      }),
    );
    const alive = await client.send(get(`http://upstream.test:${server.port}/`));
    await promisify(pbkdf2)('secret', 'salt', 1, 32, 'sha256');
    expect([alive.body.toString(), ended]).toEqual(['here', []]);
    const reason = 'host name could not be resolved';
    for (const failure of await Promise.all(dead)) expect(failure).toEqual({ kind: 'not_sent', sent: false, reason });
  }, 60_000);

  it('is queried once for all lookups of the same name at the same time', async () => {
    const { names, nameserver } = await resolverFor({ 'x.dead.test': 'silent' });
    const all = await Promise.allSettled(Array.from({ length: 100 }, () => names.resolve('x.dead.test')));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['rejected']));
    // Two tries for each family.
    expect([...nameserver.questions].sort()).toEqual(['A', 'A', 'AAAA', 'AAAA'].map((type) => `${type} x.dead.test`));
    // A new lookup queries again, because nothing is cached.
    nameserver.questions.length = 0;
    const again = names.resolve('x.dead.test').catch(() => undefined);
    await again;
    expect(nameserver.questions).toHaveLength(4);
  }, 60_000);
});
