/** No timer, listener or other call site of the gateway is left without a test in which it fails. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callSites } from './support/call-sites.cjs';
import { EXCEPTIONS, RARE, STOP, THREADS, TRAFFIC } from './support/fault-sites.js';

/** The sources of the gateway's process. */
const SOURCES = ['apps/api/src', 'libs/catalogue/src', 'libs/contracts/src', 'libs/database/src', 'libs/egress/src'];

const sitesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|mjs)$/.test(name) && !name.endsWith('.spec.ts'))
    .flatMap((name) => callSites(name, readFileSync(join(directory, name), 'utf8')).map((site) => site.name));

it('each call site fails in one test, or has a reason why not', () => {
  const listed = [TRAFFIC, RARE, THREADS, STOP, Object.keys(EXCEPTIONS)].flat();
  expect(SOURCES.flatMap(sitesIn).sort()).toEqual(listed.sort());
});

it.each([
  ['setTimeout(() => work(), 5);', 'setTimeout in the module'],
  ['socket.once("close", work);', 'close in the module'],
  ['class A { run() { void this.work().then(() => this.end()); } }', 'then in run'],
  ['pipeline(a, b, (error) => end(error));', 'pipeline in the module'],
  ['class A extends Transform { _flush(done) { done(); } }', '_flush in A'],
  ['new Transform({ transform: (chunk, _encoding, done) => done(null, chunk) });', 'transform in the module'],
])('finds the call site in %s', (code, name) => {
  expect(callSites('a.ts', code).map((site) => site.name)).toEqual([`a: ${name}`]);
});

it.each([
  ['socket.on("error", () => undefined);'],
  ['import { setTimeout } from "node:timers/promises"; await setTimeout(5);'],
  ['async function run() { await work().then(() => end()); }'],
])('finds nothing that can fail unnoticed in %s', (code) => {
  expect(callSites('a.ts', code)).toEqual([]);
});
