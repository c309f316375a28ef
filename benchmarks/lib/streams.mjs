/**
 * Streams through the gateway, the bare app and nginx, beside a connection to the upstream itself: throughput, memory,
 * and the delay of single events.
 */
import { fork } from 'node:child_process';
import { ask, cpuSeconds, rssMb } from './processes.mjs';

const MB = 1e6;
const ROUNDS = 3;
const EVENT_BYTES = 200;
const SLOW_BYTES_PER_SECOND = 4 * MB;

/** @param sides each with `name`, `origin` (with the path of the service), `headers`, and `pid`; without one: the upstream itself */
export async function measureStreams(sides) {
  const reader = fork('benchmarks/lib/stream-reader.mjs');
  const read = ({ origin, headers }, path, more = {}) =>
    ask(reader, { url: `${origin}/stream/${path}`, headers: { ...headers, prefer: 'stream' }, ...more });
  try {
    for (const side of sides)
      for (const kind of ['bytes', 'text', 'events']) await read(side, streamPath(kind, 100 * MB));
    await throughput(sides, read);
    await memory(sides, read);
    await delays(sides, read);
  } finally {
    reader.kill();
  }
}

const streamPath = (kind, total) => `${kind}?total=${total}&size=${EVENT_BYTES}`;

/** The sides take turns. */
async function throughput(sides, read) {
  for (const [kind, label, total] of [
    ['bytes', 'binary, Prefer: stream', 500 * MB],
    ['text', 'text, Prefer: stream', 500 * MB],
    ['events', `events of ${EVENT_BYTES} bytes`, 200 * MB],
  ]) {
    const rounds = sides.map(() => []);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, side] of sides.entries()) {
        const before = usedCpuSeconds(side);
        const { bytes, seconds } = await read(side, streamPath(kind, total));
        rounds[index].push({ perSecond: bytes / seconds, cpuPerGb: ((usedCpuSeconds(side) - before) / bytes) * 1e9 });
      }
    }
    for (const [index, { name }] of sides.entries()) {
      const perSecond = median(rounds[index].map((round) => round.perSecond));
      const events = kind === 'events' ? `  ${(perSecond / EVENT_BYTES / 1e6).toFixed(2)} million events/s` : '';
      const cpu = median(rounds[index].map((round) => round.cpuPerGb));
      console.log(
        `${label.padEnd(24)} ${name.padEnd(10)} ${(perSecond / MB).toFixed(0).padStart(5)} MB/s${events}` +
          (cpu > 0 ? `  CPU ${cpu.toFixed(2)} s/GB` : ''),
      );
    }
  }
}

const usedCpuSeconds = ({ pid }) => (pid === undefined ? 0 : cpuSeconds([pid]));

/** A gigabyte in full, and a reader that takes the first part of a gigabyte slowly and goes away. */
async function memory(sides, read) {
  for (const side of sides.filter(({ pid }) => pid !== undefined)) {
    for (const [label, kind, more] of [
      ['1 GB in full', 'text', {}],
      ['1 GB, slow reader', 'text', { bytesPerSecond: SLOW_BYTES_PER_SECOND, stopAfter: 40 * MB }],
    ]) {
      const beforeMb = rssMb(side.pid);
      let peakMb = beforeMb;
      let aheadMb = 0;
      const timer = setInterval(() => (peakMb = Math.max(peakMb, rssMb(side.pid))), 50);
      const { bytes } = await read(side, streamPath(kind, 1000 * MB), more);
      clearInterval(timer);
      if (more.stopAfter) aheadMb = ((await written(sides)) - bytes) / MB;
      console.log(
        `${label.padEnd(24)} ${side.name.padEnd(10)} RSS ${beforeMb.toFixed(0)} MB, at most ${peakMb.toFixed(0)} MB` +
          (more.stopAfter ? `; the upstream sent ${aheadMb.toFixed(0)} MB more than the reader took` : ''),
      );
    }
  }
}

const written = async ([{ origin }]) => Number(await (await fetch(`${origin}/stream/written`)).text());

/** The delay of events that come one at a time, and the time of a whole GET, both with one connection. */
async function delays(sides, read) {
  for (const side of sides) {
    const { delaysMs } = await read(side, 'ticks?count=2000&everyMs=4', { delays: true });
    const gets = [];
    for (let serial = 0; serial < 1500; serial++) {
      const startMs = performance.now();
      await (await fetch(`${side.origin}/customers/42`, { headers: side.headers })).text();
      gets.push(performance.now() - startMs);
    }
    gets.splice(0, 500);
    gets.sort((a, b) => a - b);
    console.log(
      `${'delay'.padEnd(24)} ${side.name.padEnd(10)} event p50 ${at(delaysMs, 0.5)} ms, p99 ${at(delaysMs, 0.99)} ms;` +
        ` GET p50 ${at(gets, 0.5)} ms, p99 ${at(gets, 0.99)} ms`,
    );
  }
}

const at = (sorted, quantile) => sorted[Math.floor(sorted.length * quantile)].toFixed(2);
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
