import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { EgressClient } from './client.js';
import { assertTargetAllowed, EgressRefusal } from './target.js';

interface CorpusCase {
  name: string;
  targetUrl: string;
  /** Default: the target's own origin, as if it was registered as a service. */
  baseUrl?: string;
  resolves?: string[];
}

const corpus = JSON.parse(readFileSync(join(__dirname, '../test/egress-corpus.json'), 'utf8')) as CorpusCase[];
const nothing = { privateAllowlist: new Set<string>() };

const textual = corpus.filter(({ resolves }) => !resolves);
const resolving = corpus.filter(({ resolves }) => resolves);

it('has at least 250 different cases', () => {
  expect(new Set(corpus.map((entry) => JSON.stringify({ ...entry, name: '' }))).size).toBe(corpus.length);
  expect(corpus.length).toBeGreaterThanOrEqual(250);
});

it.each(textual)('refuses $name', ({ targetUrl, baseUrl }) => {
  expect(() => assertTargetAllowed(targetUrl, baseUrl ?? new URL(targetUrl).origin, nothing)).toThrow(EgressRefusal);
});

it.each(resolving)('connects to no address of a name: $name', async ({ targetUrl, baseUrl, resolves }) => {
  const addresses = resolves!.map((address) => ({ address, family: isIP(address) }));
  const client = new EgressClient({
    ...nothing,
    timeoutMs: 5_000,
    maxBytes: 1024,
    resolver: () => Promise.resolve(addresses),
  });
  try {
    const url = assertTargetAllowed(targetUrl, baseUrl!, nothing);
    const refusal = { kind: 'refused_address', sent: false };
    await expect(client.resolveChecked(url)).rejects.toMatchObject(refusal);
    await expect(client.send({ url, method: 'GET', headers: {}, body: null })).rejects.toMatchObject(refusal);
  } finally {
    await client.close();
  }
});
