/**
 * The load, in a separate process: a number of connections, each with one request in progress, for a number of
 * milliseconds. With `perSecond`, requests begin at this rate, and one that begins late counts from when it should have
 * begun.
 */
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';

process.on('message', async (job) => process.send(await run(job)));

async function run({ origin, path, headers, body, connections, durationMs, maxRequests, keyPrefix, perSecond }) {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const latencies = [];
  const statuses = {};
  const endMs = performance.now() + durationMs;
  let started = 0;
  const beginMs = performance.now();

  const worker = async () => {
    while (performance.now() < endMs && started < maxRequests) {
      const serial = started++;
      const startMs = perSecond ? beginMs + (serial / perSecond) * 1000 : performance.now();
      await delay(Math.max(0, startMs - performance.now()));
      const { statusCode, body: answer } = await pool.request({
        path,
        method: 'POST',
        headers: keyPrefix ? { ...headers, 'idempotency-key': `${keyPrefix}-${serial}` } : headers,
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      await answer.dump({ limit: 1e9 });
      latencies.push(performance.now() - startMs);
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const elapsedMs = performance.now() - beginMs;
  await pool.close();
  latencies.sort((a, b) => a - b);
  const quantile = (q) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] ?? 0;
  return {
    requests: latencies.length,
    perSecond: (latencies.length / elapsedMs) * 1000,
    p50: quantile(0.5),
    p99: quantile(0.99),
    statuses,
  };
}
