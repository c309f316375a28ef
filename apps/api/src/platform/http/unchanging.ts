import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';

interface Made {
  plain: Buffer;
  zipped: Buffer;
  etag: string;
}

/**
 * Serves a file or text that never changes while the process runs. It is made when it is first asked for, and only once,
 * because anybody may ask for it any number of times.
 * @param make may take long
 */
export function unchanging(type: string, make: () => string | Buffer | Promise<string>): RequestHandler {
  let made: Promise<Made> | undefined;
  return async (request, response) => {
    made ??= prepare(make);
    send(request, response, type, await made);
  };
}

async function prepare(make: () => string | Buffer | Promise<string>): Promise<Made> {
  const plain = Buffer.from((await make()) as string);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`;
  return { plain, zipped: await promisify(gzip)(plain), etag };
}

function send(request: Request, response: Response, type: string, { plain, zipped, etag }: Made): void {
  // Overrides the policy of API responses, which no cache may keep.
  response.setHeader('Cache-Control', 'no-cache');
  response.setHeader('Vary', 'Accept-Encoding');
  response.setHeader('ETag', etag);
  if (request.headers['if-none-match']?.replace(/^W\//, '') === etag) {
    response.status(304).end();
    return;
  }
  const isZipped = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s|,|$))/i.test(request.headers['accept-encoding'] ?? '');
  if (isZipped) response.setHeader('Content-Encoding', 'gzip');
  const body = isZipped ? zipped : plain;
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', body.length);
  response.status(200).end(request.method === 'HEAD' ? undefined : body);
}
