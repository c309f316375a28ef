import express, { type Request, type Response } from 'express';
import fc from 'fast-check';
import { HTTP_METHODS, RULE_EFFECTS, RULE_PRESETS } from '#contracts';
import { assertTargetAllowed } from '#egress';
import type { ServiceRule } from '../service-view/service-view.js';
import { matchingRules } from './rule-matching.js';
import { RequestPath } from '../request-reading/request-path.js';

const BASE = 'https://api.example.com/v1';
const NOW = 1_700_000_000_000;
const rule = (overrides: Partial<ServiceRule>): ServiceRule => ({
  id: 1,
  name: 'rule',
  effect: 'deny',
  methods: [],
  pathPattern: '',
  when: '',
  instruction: '',
  agentIds: [],
  limit: null,
  expiresAt: null,
  maxUses: null,
  approvals: 1,
  approverIds: [],
  createdAt: 0,
  ...overrides,
});
const request = (method: (typeof HTTP_METHODS)[number], path: string, agentId = 7) => ({
  agentId,
  methods: [method],
  path: new RequestPath(new URL(BASE + path), BASE),
});
const names = (rules: ServiceRule[]) => rules.map(({ name }) => name);

describe('matchingRules', () => {
  it('matches every request if the rule has no conditions', () => {
    expect(matchingRules([rule({})], request('GET', '/x'), NOW)).toHaveLength(1);
  });

  it('returns the stronger effect first, regardless of the order of creation', () => {
    const rules = RULE_EFFECTS.toReversed().map((effect, id) => rule({ id, effect, name: effect }));
    expect(names(matchingRules(rules, request('GET', '/x'), NOW))).toEqual([
      'deny',
      'limit',
      'require_approval',
      'allow',
      'guidance',
    ]);
  });

  it('leaves out rules for other methods, agents and paths', () => {
    const rules = [
      rule({ name: 'method', methods: ['DELETE', 'PUT'] }),
      rule({ name: 'agent', agentIds: [8, 9] }),
      rule({ name: 'path', pathPattern: '/orders/**' }),
      rule({ name: 'holds', methods: ['GET'], agentIds: [7], pathPattern: '/customers/*' }),
    ];
    expect(names(matchingRules(rules, request('GET', '/customers/42'), NOW))).toEqual(['holds']);
  });

  it('leaves out rules from their expiry on', () => {
    const rules = [rule({ expiresAt: NOW })];
    expect(matchingRules(rules, request('GET', '/x'), NOW - 1)).toHaveLength(1);
    expect(matchingRules(rules, request('GET', '/x'), NOW)).toHaveLength(0);
  });

  it.each([
    ...['/Admin/users', '/ADMIN/users', '/admin%20/users', '/%20admin/users', '/admin./users', '/admin%00/users'],
    ...[
      '/admin%00',
      '/admin;/users',
      '/admin;x/',
      '/admin%3fx/users',
      '/admin%23x/users',
      '/%61DMIN%2e%20/users',
      '/x/..%5cAdmin.%20;y%00/',
    ],
    ...['/adm%C4%B1n/users', '/admin%09/users', '/%2541dmin/users', '/admin..%20./users'],
  ])('applies a prohibition to %s, for upstreams that fold case, trim or cut', (path) => {
    for (const pathPattern of ['/admin/**', '/Admin/**', '/%61dmin/**']) {
      expect(matchingRules([rule({ pathPattern })], request('GET', path), NOW)).toHaveLength(1);
    }
    const allow = rule({ effect: 'allow', pathPattern: '/admin/**' });
    expect(matchingRules([allow], request('GET', path), NOW)).toEqual([]);
  });

  it.each(['/administrators/1', '/users/admin', '/public/admin/x', '/adm', '/v1;admin/x', '/admin-x/1', '/admin%2a/1'])(
    'does not apply a prohibition of another path to %s',
    (path) => {
      expect(matchingRules([rule({ pathPattern: '/admin/**' })], request('GET', path), NOW)).toEqual([]);
    },
  );

  it('prohibits a request with a method override if either method matches, and permits it only if both match', () => {
    const subject = { ...request('POST', '/x'), methods: ['DELETE', 'POST'] as const };
    const matches = (effect: 'deny' | 'allow', methods: ('DELETE' | 'POST' | 'GET')[]) =>
      matchingRules([rule({ effect, methods })], subject, NOW).length === 1;
    expect([matches('deny', ['DELETE']), matches('deny', ['POST']), matches('deny', ['GET'])]).toEqual([
      true,
      true,
      false,
    ]);
    expect([matches('allow', ['DELETE']), matches('allow', ['POST'])]).toEqual([false, false]);
    expect(matches('allow', ['DELETE', 'POST'])).toBe(true);
  });

  it('if it cannot compare all patterns, applies approval rules and limits, applies no allow or deny rule, and marks the path as undecided', () => {
    const pathPattern = '**a*a*a*a*a*a*ab';
    const path = `/${'a/'.repeat(2_000)}ab/${'a'.repeat(2_000)}`;
    const many = Array.from({ length: 500 }, (_, id) => rule({ id, pathPattern }));
    for (const effect of ['require_approval', 'limit'] as const) {
      const asking = many.map((each) => ({ ...each, effect }));
      expect(matchingRules(asking, request('GET', path), NOW).length).toBeGreaterThan(0);
    }
    const allowing = many.map((each) => ({ ...each, effect: 'allow' as const }));
    expect(matchingRules(allowing, request('GET', path.slice(0, -1)), NOW)).toEqual([]);
    const denied = request('GET', path);
    expect(matchingRules(many, denied, NOW)).toEqual([]);
    expect(denied.path.isUndecided).toBe(true);
    const guided = request('GET', path);
    const guidance = many.map((each) => ({ ...each, effect: 'guidance' as const }));
    expect(matchingRules(guidance, guided, NOW)).toEqual([]);
    expect(guided.path.isUndecided).toBe(true);
  });

  it('denies exactly what matches with hundreds of patterns and a path of 4,000 characters', () => {
    const word = fc.constantFrom('orders', 'admin', 'delete', 'users', 'x', '42', 'a', 'export', 'file.json', '%6f');
    const path = fc
      .array(word, { minLength: 600, maxLength: 900 })
      .map((words) => `/${words.join('/')}`.slice(0, 4_000));
    const pattern = fc.constantFrom(
      ...[
        '/**/secret$/**',
        '**$**',
        '/**/admin/**/purge$',
        '/orders/**/x$/*',
        '/**/de*te/$/**',
        '/*/$',
        '/**/file.*son/$',
      ],
    );
    fc.assert(
      fc.property(path, fc.array(pattern, { minLength: 25, maxLength: 500 }), fc.nat(3), (text, patterns, real) => {
        const rules = patterns.map((each, id) => rule({ id, pathPattern: each.replace('$', `z${id}`) }));
        const matching = Array.from({ length: real }, (_, id) => rule({ id: 1_000 + id, pathPattern: '/**/42/**' }));
        const subject = request('GET', `${text}/42`);
        expect(matchingRules([...rules, ...matching], subject, NOW).map(({ id }) => id)).toEqual(
          matching.map(({ id }) => id),
        );
        expect(subject.path.isUndecided).toBe(false);
      }),
    );
  });

  it.each(['/admin%2fusers', '//admin/users', '/x%2f..%2fadmin/users', '/admin;x=1/users', '/%61dmin/users'])(
    'applies a prohibition to %s, but no permission',
    (path) => {
      const prohibited = ['deny', 'limit', 'require_approval'] as const;
      for (const effect of prohibited) {
        expect(matchingRules([rule({ effect, pathPattern: '/admin/**' })], request('GET', path), NOW)).toHaveLength(1);
      }
      expect(matchingRules([rule({ effect: 'allow', pathPattern: '/admin/**' })], request('GET', path), NOW)).toEqual(
        [],
      );
    },
  );

  it('permits only paths that the same pattern would prohibit', () => {
    const segment = fc.constantFrom('admin', 'users', '..', '.', '', '%2e%2e', '%2f', 'a%2Fb', ';x', '%5c', '42');
    const path = fc.array(segment, { maxLength: 6 }).map((segments) => `/${segments.join('/')}`);
    const pattern = fc.constantFrom('/admin/**', '/admin/*', '/users', '/**/42', '/*/admin');
    fc.assert(
      fc.property(path, pattern, (text, pathPattern) => {
        const subject = request('GET', text);
        const allowed = matchingRules([rule({ effect: 'allow', pathPattern })], subject, NOW).length;
        const denied = matchingRules([rule({ effect: 'deny', pathPattern })], subject, NOW).length;
        expect(allowed).toBeLessThanOrEqual(denied);
      }),
    );
  });

  describe('compared with routers', () => {
    const piece = fc.constantFrom(
      ...['admin', 'Admin', 'ADMIN', 'users', 'x', '42', '', '.', '..', '%61dmin', 'adm%69n', 'admin%2fx', 'admin;v=1'],
      ...[
        'admin%20',
        'admin.',
        'admin%00',
        '%2e%2e',
        '..%2f',
        '%2f',
        'x%2fadmin',
        ';',
        '%5c',
        '%252e%252e',
        'adm%2569n',
      ],
    );
    const path = fc.tuple(fc.array(piece, { maxLength: 5 }), fc.constantFrom('', '/')).map(([parts, end]) => {
      return `/${parts.join('/')}${end}`;
    });

    it('prohibits every path that Express routes to the handler of the same pattern, ignoring case and trailing slashes', () => {
      const routes: [pathPattern: string, route: string, mounted?: true][] = [
        ['/admin/**', '/admin', true],
        ['/admin/**', '/admin{/*rest}'],
        ['/admin/*', '/admin/:id'],
        ['/users/*/admin', '/users/:id/admin'],
        ['/admin/', '/admin'],
      ];
      let reached = 0;
      for (const [pathPattern, route, mounted] of routes) {
        const app = express();
        app.disable('case sensitive routing');
        app.disable('strict routing');
        let seen = false;
        const handler = (): void => {
          seen = true;
        };
        if (mounted) app.use(route, express.Router().use(handler));
        else app.all(route, handler);
        const handles = (url: string): boolean => {
          seen = false;
          // Express needs only these fields of a request. A decoding error counts as no match.
          app(
            { method: 'GET', url, headers: {} } as Request,
            { setHeader: () => undefined } as unknown as Response,
            () => undefined,
          );
          return seen;
        };
        expect(handles(route.startsWith('/users') ? '/Users/1/ADMIN/' : '/Admin/') || handles('/ADMIN/1/')).toBe(true);
        fc.assert(
          fc.property(path, (text) => {
            const url = new URL(BASE + text);
            if (!url.pathname.startsWith('/v1/') || !handles(url.pathname.slice('/v1'.length))) return;
            reached += 1;
            const denied = matchingRules([rule({ pathPattern })], request('GET', text), NOW);
            expect([text, denied.length]).toEqual([text, 1]);
          }),
          { numRuns: 1_000 },
        );
      }
      // The property would prove nothing if no path reached a handler.
      expect(reached).toBeGreaterThan(100);
    });

    /** Rules only read targets that have passed the egress guard. */
    const passesTheGuard = ({ href }: URL): boolean => {
      try {
        return assertTargetAllowed(href, BASE, { privateAllowlist: new Set() }) !== null;
      } catch {
        return false;
      }
    };

    /** The steps with which servers change a path before they route it, in the most usual order. */
    const steps: ((text: string) => string)[] = [
      (text) => text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
      (text) => text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
      (text) => text.replaceAll('\\', '/'),
      (text) => text.replace(/\0.*$/s, ''),
      (text) => text.replace(/\0[^/]*/g, ''),
      (text) => text.replace(/;.*$/s, ''),
      (text) => text.replace(/;[^/]*/g, ''),
      (text) =>
        text
          .split('/')
          .map((segment) => segment.trim())
          .join('/'),
      (text) => text.replace(/(?<=[^/.])[. ]+(?=\/|$)/g, ''),
      (text) => text.replace(/\/{2,}/g, '/'),
      (text) =>
        new URL(`http://x${text.replaceAll('\0', '%00').replaceAll('?', '%3f').replaceAll('#', '%23')}`).pathname,
      (text) => text.toLowerCase(),
      (text) => text.replace(/(?<=.)\/$/, ''),
    ];

    it('prohibits every path that a mixture of decoding, folding, trimming and cutting turns into a prohibited one', () => {
      let reached = 0;
      fc.assert(
        fc.property(path, fc.subarray(steps), (text, applied) => {
          const url = new URL(BASE + text);
          if (!url.pathname.startsWith('/v1/') || !passesTheGuard(url)) return;
          const read = applied.reduce((current, step) => step(current), url.pathname.slice('/v1'.length));
          if (!/^\/admin(\/|$)/.test(read)) return;
          reached += 1;
          const denied = matchingRules([rule({ pathPattern: '/admin/**' })], request('GET', text), NOW);
          expect([text, read, denied.length]).toEqual([text, read, 1]);
        }),
        { numRuns: 10_000 },
      );
      expect(reached).toBeGreaterThan(100);
    });
  });

  it('gives the presets for methods the effects in their titles', () => {
    const findEffect = (key: string, method: (typeof HTTP_METHODS)[number]) => {
      const preset = RULE_PRESETS.find((entry) => entry.key === key)!;
      const rules = preset.rules.map((entry) => rule({ ...entry, methods: [...entry.methods] }));
      return matchingRules(rules, request(method, '/x'), NOW)[0]?.effect;
    };
    expect(HTTP_METHODS.filter((method) => findEffect('ask-before-delete', method))).toEqual(['DELETE']);
    expect(HTTP_METHODS.filter((method) => findEffect('ask-before-write', method) === 'require_approval')).toEqual([
      'POST',
      'PUT',
      'DELETE',
      'PATCH',
    ]);
  });
});
