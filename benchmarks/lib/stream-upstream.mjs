/** The streams of the benchmark's upstream. Their parameters are in the query. */
import process from 'node:process';

const CHUNK_BYTES = 64 * 1024;
const TYPES = { events: 'text/event-stream', ticks: 'text/event-stream', bytes: 'application/octet-stream' };
/** Bytes that the last stream has handed to its socket. */
let written = 0;

/** @returns false if the path is not a stream */
export function answerStream(request, response) {
  const url = new URL(request.url, 'http://x');
  const kind = /\/stream\/(\w+)$/.exec(url.pathname)?.[1];
  if (kind === undefined) return false;
  if (kind === 'written') {
    response.end(String(written));
    return true;
  }
  const number = (name) => Number(url.searchParams.get(name));
  written = 0;
  // nginx would collect the answer otherwise.
  response.writeHead(200, { 'Content-Type': TYPES[kind] ?? 'text/plain', 'X-Accel-Buffering': 'no' });
  if (kind === 'ticks') tick(response, number('count'), number('everyMs'));
  else pump(response, makeChunk(kind, number('size')), number('total'));
  return true;
}

/** Text and events consist of words, so that a scan for secrets has something to look at. */
function makeChunk(kind, size) {
  if (kind === 'bytes') return Buffer.alloc(CHUNK_BYTES, 0xff);
  const words = 'the order was sent to a customer who lives in a small town by the sea '.repeat(1000);
  if (kind === 'text') return Buffer.from(words.slice(0, CHUNK_BYTES));
  const event = `data: ${JSON.stringify({ content: words.slice(0, size - 22) })}\n\n`;
  return Buffer.from(event.repeat(Math.max(1, Math.floor(CHUNK_BYTES / size))));
}

/** As fast as the reader takes it. */
function pump(response, chunk, total) {
  const more = () => {
    while (written < total) {
      written += chunk.length;
      if (!response.write(chunk)) return;
    }
    response.end();
  };
  response.on('drain', more);
  more();
}

/** One event at a time, with the time at which it was written. The clock is the same in all processes. */
function tick(response, count, everyMs) {
  const timer = setInterval(() => {
    response.write(`data: ${process.hrtime.bigint()}\n\n`);
    if (--count > 0) return;
    clearInterval(timer);
    response.end();
  }, everyMs);
  response.on('close', () => clearInterval(timer));
}
