import { mayMeanAnother, ServiceBase, WrittenTarget } from './service-base.js';

const BASE = 'https://api.example.com/v1';
const matches = (targetUrl: string, baseUrl: string): boolean =>
  new ServiceBase(baseUrl).matches(new WrittenTarget(targetUrl));

describe('matches', () => {
  it.each([
    `${BASE}/x`,
    'HTTPS://API.EXAMPLE.COM:443/v1',
    `${BASE}evil`,
    `${BASE}/../admin`,
    'https://api.example.com/x/../v1/y',
    'https://u:p@api.example.com/v1/x',
    `${BASE}.evil.example/`,
  ])('matches %s, so that the guard gives its own error', (targetUrl) => {
    expect(matches(targetUrl, BASE)).toBe(true);
  });

  it('matches a look-alike of a bare host', () => {
    expect(matches('https://api.example.com@evil.example/', 'https://api.example.com')).toBe(true);
    expect(matches('https://api.example.com.evil.example/', 'https://api.example.com')).toBe(true);
  });

  it.each(['https://api.example.com/v2', 'http://api.example.com/v1', 'https://other.example/v1', 'nonsense', ''])(
    'does not match %s',
    (targetUrl) => {
      expect(matches(targetUrl, BASE)).toBe(false);
    },
  );
});

describe('covers', () => {
  const covers = (targetUrl: string, baseUrl = BASE): boolean =>
    new ServiceBase(baseUrl).covers(new WrittenTarget(targetUrl));

  it.each([BASE, `${BASE}/`, `${BASE}?x`, `${BASE}/x`, 'HTTPS://API.EXAMPLE.COM:443/v1/x', `${BASE}/a/..//b`])(
    'admits %s',
    (target) => expect([covers(target), covers(target, `${BASE}/`) || target === BASE]).toEqual([true, true]),
  );

  it.each([`${BASE}0/x`, `${BASE}evil`, `${BASE}.evil/x`, `${BASE}/../x`, 'http://api.example.com/v1/x', 'nonsense'])(
    'does not cover %s',
    (target) => expect(covers(target)).toBe(false),
  );
});

describe('mayMeanAnother', () => {
  const HOST = 'https://api.example.com';
  const may = (path: string, base: string, others: string[]): boolean => {
    const [own, ...rest] = [base, ...others].map((each) => new ServiceBase(HOST + each));
    return mayMeanAnother(new WrittenTarget(HOST + path), own, [own, ...rest]);
  };

  it.each([
    ['/v1/%61dmin', '/v1', ['/v1/admin']],
    ['/v1/%61dmin/users', '/v1', ['/v1/admin']],
    ['/v1//admin/x', '/v1', ['/v1/admin']],
    ['//v1/x', '', ['/v1']],
    ['/x%2f..%2fv1/y', '', ['/v1']],
    ['/v1;a=b/x', '', ['/v1']],
    ['/V1/x', '', ['/v1']],
    ['/v1./x', '/', ['/v1/']],
    ['/v1%20/x', '', ['/v1']],
    ['/v1%00/x', '', ['/v1']],
    ['/%2576%31/x', '', ['/v1']],
    ['/v1%2fx', '', ['/v1']],
    ['/v1/../x', '', ['/v1']],
    ['/v1/%2e%2e/x', '', ['/v1']],
    ['/v1/../v2/x', '/v2', ['/v1']],
  ])('is true for %s below %s, beside %s', (path, base, others) => {
    expect(may(path, base, others)).toBe(true);
  });

  it.each([
    ['/v10/x', '', ['/v1']],
    ['/v1/x', '/v1', ['']],
    ['/v1/administrators', '/v1', ['/v1/admin']],
    ['/v1/x%2fy//z;a=b/', '/v1', ['', '/v1/admin', '/v2']],
    ['/v1/x', '/v1', ['/v1/']],
    ['/x/v1/y', '', ['/v1']],
    ['/A%20b/x', '/A%20b', ['']],
    ['/v1/a/../b', '/v1', ['/v1/admin']],
  ])('is false for %s below %s, beside %s', (path, base, others) => {
    expect(may(path, base, others)).toBe(false);
  });

  it('ignores services on other hosts, ports and schemes', () => {
    const own = new ServiceBase('https://a.example');
    const others = ['https://b.example/v1', 'http://a.example/v1', 'https://a.example:8443/v1'];
    const bases = [own, ...others.map((each) => new ServiceBase(each))];
    expect(mayMeanAnother(new WrittenTarget('https://a.example//v1/x'), own, bases)).toBe(false);
  });
});
