import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { PLANTED } from './planted.js';
import { SPELLINGS } from './spellings.js';

/** Returns what it received, in the encoding and place that the path names. */
export function echo(
  { url = '/', headers }: { url?: string; headers: IncomingHttpHeaders },
  response: ServerResponse,
): void {
  const { searchParams: wanted } = new URL(url, 'http://upstream');
  const secrets = secretsIn(headers);
  const spell = SPELLINGS[wanted.get('as') ?? 'raw'];
  const texts = secrets.map(spell);
  const type = wanted.get('type') ?? 'text/plain';
  response.statusCode = Number(wanted.get('status') ?? 200);
  if (type !== 'none') response.setHeader('Content-Type', type);
  if (wanted.has('headers')) {
    response.setHeader('X-Echo', texts);
    response.setHeader('Location', `https://elsewhere.example/?token=${encodeURIComponent(texts[0])}`);
    response.setHeader('WWW-Authenticate', `Bearer realm="x", token="${texts.join()}"`);
    response.setHeader(
      'Set-Cookie',
      texts.map((text, n) => `c${n}=${encodeURIComponent(text)}`),
    );
  }
  const body = Buffer.from(texts.map((text) => `before ${text} after`).join('\n'));
  const coding = wanted.get('coding');
  if (coding) {
    response.setHeader('Content-Encoding', coding);
    const encode = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }[coding]!;
    response.end(encode(body));
  } else if (wanted.has('chunks')) {
    // Sends each byte as a chunk of its own.
    for (const byte of body) response.write(Buffer.of(byte));
    response.end();
  } else response.end(body);
}

/** The secrets as injected, and as stored. */
function secretsIn(headers: IncomingHttpHeaders): string[] {
  const { authorization = '' } = headers;
  const [scheme, value] = authorization.split(' ');
  const own = [headers['x-api-key'], headers['x-custom']].flatMap((header) => header ?? []);
  if (scheme === 'Basic') return [authorization, value, PLANTED.basicPassword];
  return scheme === 'Bearer' ? [authorization, value, ...own] : own;
}
