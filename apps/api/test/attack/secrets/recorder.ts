import { request, type IncomingHttpHeaders } from 'node:http';
import type { Sighting } from '../../support/leak-search.js';

export interface Exchange<T> {
  token?: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** The secrets that this endpoint issues. Its answer may hold them. */
  mayHold?: (body: T) => string[];
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  raw: string[];
  text: string;
}

/** Keeps everything that a gateway answers. */
export class Recorder {
  readonly seen: Sighting[] = [];

  constructor(private readonly gatewayUrl: () => string) {}

  /** Sends one request and keeps its whole answer. */
  async exchange<T = Record<string, unknown>>(route: string, options: Exchange<T> = {}): Promise<Answer & { body: T }> {
    const [method, path] = route.split(' ');
    const { token, body, headers, mayHold } = options;
    const sent = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const answer = await send(this.gatewayUrl() + path, method, sent, {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...headers,
    });
    let parsed: T = {} as T;
    try {
      parsed = JSON.parse(answer.text) as T;
    } catch {
      // Some responses are not JSON.
    }
    let text = `${answer.raw.join('\n')}\n\n${answer.text}`;
    for (const value of mayHold?.(parsed) ?? []) text = text.replaceAll(value, 'ISSUED');
    this.seen.push({ where: `${route} -> ${answer.status}`, text });
    return { ...answer, body: parsed };
  }
}

function send(url: string, method: string, body: string | undefined, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode!,
          headers: incoming.headers,
          raw: incoming.rawHeaders,
          text: Buffer.concat(chunks).toString(),
        }),
      );
      incoming.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
