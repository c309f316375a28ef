import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AuditRecord } from '#contracts';
import { eventually } from './eventually.js';
import { startGateway, type Gateway } from './gateway.js';

export const MIB = 1024 * 1024;
export const EVENTS = { 'Content-Type': 'text/event-stream' };

/** An answer whose body is read as it arrives. */
export class Reading {
  text = '';
  /** Null while it is open. */
  isComplete: boolean | null = null;

  constructor(readonly response: IncomingMessage) {
    response.on('data', (chunk: Buffer) => (this.text += chunk.toString('latin1')));
    response.on('error', () => {});
    response.on('close', () => (this.isComplete = response.complete));
  }

  until(text: string): Promise<boolean> {
    return eventually(() => this.text.includes(text));
  }

  async end(): Promise<string> {
    await eventually(() => this.isComplete !== null);
    return this.text;
  }
}

interface StreamRequest {
  method?: string;
  path?: string;
  body?: object;
  from?: Gateway;
}

/** A gateway whose answers are streams. */
export class StreamGateway {
  private readonly open: ClientRequest[] = [];

  private constructor(readonly gateway: Gateway) {}

  static async start(): Promise<StreamGateway> {
    return new StreamGateway(await startGateway({ STREAM_MAX_BYTES: String(64 * MIB), STREAM_MAX_SECONDS: '600' }));
  }

  /** Forgets what the upstream was asked, and lets the model pass everything. */
  reset(): void {
    this.gateway.upstream.calls.length = 0;
    this.gateway.model.answer({ score: 0 });
  }

  /** The upstream's side of the next stream. */
  upstreamStream(headers: Record<string, string> = EVENTS): Promise<ServerResponse> {
    return new Promise((resolve) =>
      this.gateway.upstream.answer((_call, response) => {
        response.writeHead(200, headers);
        response.flushHeaders();
        resolve(response);
      }),
    );
  }

  async start(
    headers: Record<string, string> = {},
    { method = 'GET', path = '/s/Shop/stream', body, from = this.gateway }: StreamRequest = {},
  ): Promise<IncomingMessage> {
    const call = request(`${from.url}${path}`, {
      method,
      headers: { 'Agent-Key': from.agentKey, 'X-Intent': 'listen', ...headers },
    });
    this.open.push(call);
    call.on('error', () => {});
    call.end(body && JSON.stringify(body));
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    return response;
  }

  async read(headers?: Record<string, string>, what?: StreamRequest): Promise<Reading> {
    return new Reading(await this.start(headers, what));
  }

  async lastRecord(): Promise<AuditRecord> {
    return (await this.gateway.audit())[0];
  }

  settledRecord(): Promise<AuditRecord> {
    return eventually<AuditRecord>(async () => {
      const record = await this.lastRecord();
      return record.durationMs === null ? null : record;
    });
  }

  /** Ends the streams that a test has left open. */
  endOpen(): void {
    for (const call of this.open.splice(0)) call.destroy();
  }

  close(): Promise<void> {
    return this.gateway.close();
  }
}
