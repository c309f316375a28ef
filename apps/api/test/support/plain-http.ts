import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { ERROR_CODES, type ErrorCode } from '#contracts';

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const JSON_TYPE = { 'Content-Type': 'application/json' };

export interface PlainAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Sends the path and the method unchanged; fetch would normalize paths and refuse some methods. */
export function sendPlain(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string | Buffer,
): Promise<PlainAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(url, { method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

export function expectEnvelope(answer: PlainAnswer, status: number, error: unknown, next?: string): void {
  expect(JSON.parse(answer.body)).toEqual({ error, statusCode: status, next });
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.headers['x-request-id']).toMatch(UUID);
  expect(ERROR_CODES[answer.headers['x-error-code'] as ErrorCode].statuses).toContain(status);
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
}
