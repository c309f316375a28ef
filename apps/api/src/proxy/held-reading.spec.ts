import { classifySteps } from '../effects/classify.js';
import { denialHashSteps } from '../approvals/equality.js';
import type { ShortSteps } from '../platform/short-steps.js';
import { rpcSteps } from '../request-reading/rpc-calls.js';
import { statedSteps } from '../request-reading/stated-operation.js';

const TARGET = 'https://api.example.com/v1/rpc';
const COUNT = 20_000;
const NONE = { operation: null, tools: null, others: [] };
const numbers = Array.from({ length: COUNT }, (_, i) => i);
const fields = numbers.map((i) => `"Name ${i}":${i}`).join();

const requestOf = (body: string, type = 'application/json') => ({
  method: 'POST' as const,
  targetUrl: TARGET,
  headers: { 'content-type': type },
  body,
});

const hashes = (body: string): ShortSteps<unknown> => {
  const { method, targetUrl, headers } = requestOf(body);
  const payload = { judged: body, text: body, compared: Buffer.from(body) } as never;
  return denialHashSteps({ serviceId: 1, isAws: false, method, url: new URL(targetUrl), headers, body: payload });
};

/** What a gateway reads of a request that is held. */
const READERS: Record<string, (body: string) => ShortSteps<unknown>> = {
  statedOperation: (body) => statedSteps(requestOf(body)),
  'statedOperation of another type': (body) => statedSteps(requestOf(body, 'text/plain')),
  rpcFacts: (body) => rpcSteps(requestOf(body)),
  classify: (body) => classifySteps(requestOf(body), TARGET, NONE),
  denialHashes: hashes,
};

const BODIES: Record<string, string> = {
  names: `{${fields}}`,
  'names in an object': `{"data":{${fields}}}`,
  numbers: JSON.stringify(numbers),
  'empty objects': JSON.stringify(numbers.map(() => ({}))),
  'empty lists': JSON.stringify(numbers.map(() => [])),
  'lists in lists': JSON.stringify(numbers.map((i) => [[i]])),
  calls: JSON.stringify(numbers.map((id) => ({ jsonrpc: '2.0', method: `m${id}`, id }))),
  'arguments of a tool': `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{${fields}}}}`,
  'calls in one': JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'system.multicall',
    params: [numbers.map((i) => ({ methodname: `m${i}`, params: [] }))],
  }),
};

describe('reading a request that is held', () => {
  it.each(Object.keys(READERS).flatMap((reader) => Object.keys(BODIES).map((body) => [reader, body])))(
    'is %s in short steps of %s, so that others are served in between',
    (reader, body) => {
      const steps = Array.from(READERS[reader](BODIES[body])).length;
      expect(steps).toBeGreaterThan(COUNT / 1500);
    },
  );

  it.each(Object.keys(READERS))('does not make %s of a short body longer', (reader) => {
    const steps = Array.from(READERS[reader]('{"amount":5,"to":"ada"}')).length;
    expect(steps).toBeLessThan(20);
  });

  it('compares a body that readers understand differently in short steps', () => {
    const steps = Array.from(statedSteps(requestOf(`{"method":"a","Method":"b",${fields}}`))).length;
    const last = Array.from(statedSteps(requestOf(`{${fields},"method":"a","Method":"b"}`))).length;
    expect(steps).toBeGreaterThan(COUNT / 1500);
    expect(last).toBeGreaterThan(COUNT / 200);
  });
});
