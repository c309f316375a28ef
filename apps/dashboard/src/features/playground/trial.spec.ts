import { EMPTY_TRIAL, pathBelow, readHash, readHeaders, toHash, toRequest, type Trial } from './trial.js';

const trial: Trial = {
  service: 3,
  agent: 7,
  method: 'POST',
  path: '/a?b=c&d=%20',
  headers: 'X-A: 1\nX-B: c:d',
  body: '{"a":"ü#&"}',
  intent: 'do & see',
};

describe('a trial', () => {
  it('survives a round trip through the hash', () => {
    expect(readHash(toHash(trial))).toEqual(trial);
    expect(toHash(EMPTY_TRIAL)).toBe('');
    expect(readHash('')).toEqual(EMPTY_TRIAL);
    expect(readHash('#method=FOO&service=-1')).toEqual(EMPTY_TRIAL);
  });

  it('becomes a request under the base URL', () => {
    expect(toRequest(trial, 'https://api.example.com/v1/')).toEqual({
      serviceId: 3,
      agentId: 7,
      method: 'POST',
      targetUrl: 'https://api.example.com/v1/a?b=c&d=%20',
      headers: { 'X-A': '1', 'X-B': 'c:d' },
      body: trial.body,
      intent: 'do & see',
    });
    expect(toRequest({ ...trial, method: 'GET', agent: null }, 'https://a')).toMatchObject({ body: null });
    expect(toRequest({ ...trial, path: 'x' }, 'https://a')).toMatchObject({ targetUrl: 'https://a/x' });
  });

  it('is null while something is missing', () => {
    expect(toRequest({ ...trial, service: null }, 'https://a')).toBeNull();
    expect(toRequest({ ...trial, intent: ' ' }, 'https://a')).toBeNull();
    expect(toRequest({ ...trial, headers: 'no colon' }, 'https://a')).toBeNull();
    expect(readHeaders(': x')).toBeNull();
  });
});

it('pathBelow returns the path under a base URL', () => {
  expect(pathBelow('https://a.example/v1', 'https://a.example/v1/x?y')).toBe('/x?y');
  expect(pathBelow('https://a.example/v1/', 'https://a.example/v1')).toBe('/');
  expect(pathBelow('https://a.example/v1', 'https://a.example/v10')).toBeNull();
});
