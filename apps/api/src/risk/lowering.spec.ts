import { RULE_PRESETS, type HttpMethod } from '#contracts';
import type { ServiceRule, ServiceView } from '../service-view/service-view.js';
import { matchingOf } from './decide.js';
import { NOT_DOCUMENTED, RequestFacts } from './request-facts.js';

const BASE = 'https://api.example.com/v1';

/** Every kind of rule that lowers protection. */
const READS_PASS = RULE_PRESETS.find(({ key }) => key === 'reads-pass')!.rules[0];
const LOWERING: Record<string, Partial<ServiceRule>> = {
  'a method and a path': { methods: ['GET', 'POST'], pathPattern: '/search' },
  'a body': { when: 'request.body.amount <= 10 && !has(request.body.force)' },
  'a query': { when: 'request.query.page == ["1"] && !("force" in request.query)' },
  'reads that pass': { when: 'when' in READS_PASS ? READS_PASS.when : '' },
};

interface Given {
  method?: HttpMethod;
  path?: string;
  headers?: Record<string, string>;
  body?: string | null;
}

function isAllowed(rule: Partial<ServiceRule>, given: Given): boolean {
  const { method = 'POST', path = '/search?page=1', headers = {}, body = '{"amount":5}' } = given;
  const request = {
    method,
    targetUrl: BASE + path,
    headers: { 'content-type': 'application/json', ...headers },
    body,
    intent: '',
  };
  const whole = { id: 1, name: 'R', effect: 'allow', methods: [], pathPattern: '', agentIds: [], ...rule };
  const service = { rules: [{ expiresAt: null, ...whole }], baseUrl: BASE } as unknown as ServiceView;
  const facts = new RequestFacts(request, BASE, NOT_DOCUMENTED, false);
  return matchingOf(service, 7, request, 0, facts).rules.length > 0;
}

const rules = Object.entries(LOWERING);
/** A rule for bodies or queries alone says nothing about methods. */
const aboutMethods = (rule: Partial<ServiceRule>): Partial<ServiceRule> =>
  rule === LOWERING['reads that pass'] ? rule : { methods: ['POST'], ...rule };
const OVERRIDES = ['X-HTTP-Method-Override', 'X-Method-Override', 'X-HTTP-Method'];

it.each(rules)('a rule for %s allows the plain request', (_kind, rule) => {
  expect(isAllowed(rule, {})).toBe(true);
});

describe.each(rules)('a rule for %s', (_kind, rule) => {
  it.each<[string, Given]>([
    ['another method in the query', { path: '/search?page=1&_method=DELETE' }],
    ['another method in JSON', { body: '{"amount":5,"_method":"DELETE"}' }],
    [
      'another method in a form',
      { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'amount=5&_method=PUT' },
    ],
    ['a method that nobody knows', { path: '/search?page=1&_method=PURGE' }],
    ...['$httpMethod', '_HttpMethod'].map((name): [string, Given] => [name, { path: `/search?page=1&${name}=DELETE` }]),
  ])('does not allow %s', (_case, given) => {
    expect(isAllowed(aboutMethods(rule), given)).toBe(false);
  });

  it.each<[string, Given]>([
    ['a header that nobody knows', { headers: { 'X-Dry-Run': 'true', 'X-Read-Only': '1' } }],
    ...OVERRIDES.map((name): [string, Given] => [name, { headers: { [name]: 'GET' } }]),
    ['a milder method in the query', { path: '/customers/7?page=1&_method=GET' }],
    ['a milder method in JSON', { body: '{"amount":5,"_method":"GET"}' }],
    ['words of a read', { path: '/customers/7?page=1&action=search&dry_run=true' }],
  ])('does not allow a DELETE with %s', (_case, given) => {
    expect(isAllowed(aboutMethods(rule), { method: 'DELETE', path: '/customers/7?page=1', ...given })).toBe(false);
  });
});

it.each<[string, keyof typeof LOWERING, Given]>([
  ['a key twice', 'a body', { body: '{"amount":5,"amount":500}' }],
  ['a key twice in another case', 'a body', { body: '{"amount":5,"Amount":500}' }],
  ['a key in another case', 'a body', { body: '{"Amount":5}' }],
  ['a field in another case', 'a body', { body: '{"amount":5,"Force":true}' }],
  ['a field with brackets', 'a body', { body: '{"amount":5,"force[]":true}' }],
  ['another type', 'a body', { body: '{"amount":"5"}' }],
  ['a name of the query in another case', 'a query', { path: '/search?page=1&FORCE=1' }],
  ['a name of the query with brackets', 'a query', { path: '/search?page=1&force[]=1' }],
  ['a name of the query that is cut', 'a query', { path: '/search?page=1;force=1' }],
  ['a name of the query twice', 'a query', { path: '/search?page=1&page=2' }],
  ['a path in another case', 'a method and a path', { path: '/Search' }],
  ['a path that some cut', 'a method and a path', { path: '/search%23' }],
])('%s is not allowed by a rule for %s', (_case, kind, given) => {
  expect(isAllowed(LOWERING[kind], given)).toBe(false);
});
