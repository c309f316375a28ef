/** Reads streams, in a separate process: as fast as they come, slowly, or with the delay of each event. */
import { request } from 'node:http';
import process from 'node:process';

process.on('message', async (job) => process.send(await read(job)));

/**
 * @param job.bytesPerSecond the speed of a slow reader
 * @param job.stopAfter bytes after which it goes away
 */
async function read({ url, headers, bytesPerSecond = Infinity, stopAfter = Infinity, delays: timed = false }) {
  const startMs = performance.now();
  const response = await new Promise((resolve, reject) => {
    request(url, { headers, agent: false }, resolve).on('error', reject).end();
  });
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
  let bytes = 0;
  const delaysMs = [];
  for await (const chunk of response) {
    bytes += chunk.length;
    if (timed) {
      const now = process.hrtime.bigint();
      for (const [, at] of chunk.toString().matchAll(/data: (\d+)\n/g)) delaysMs.push(Number(now - BigInt(at)) / 1e6);
    }
    if (bytes >= stopAfter) break;
    const aheadMs = (bytes / bytesPerSecond) * 1000 - (performance.now() - startMs);
    if (aheadMs > 5) await new Promise((resolve) => setTimeout(resolve, aheadMs));
  }
  delaysMs.sort((a, b) => a - b);
  return { bytes, delaysMs, seconds: (performance.now() - startMs) / 1000 };
}
