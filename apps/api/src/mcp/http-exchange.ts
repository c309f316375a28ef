import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Response } from 'express';

/**
 * One `POST /mcp` as a transport of the SDK: the answer to its one message. The answer is JSON. If a notification comes
 * first, and the caller accepts events, the response becomes a stream of events. The SDK's own transport builds
 * web-standard requests, responses and streams around each call, which takes several times the CPU.
 */
export class HttpExchange implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  onerror?: (error: Error) => void;

  constructor(
    private readonly response: Response,
    private readonly acceptsEvents: boolean,
  ) {}

  async start(): Promise<void> {
    // After the answer there is nothing left to end. Ending it anyway would create an error and an abort each time.
    this.response.once('close', () => void (this.response.writableFinished || this.onclose?.()));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.response.destroyed || this.response.writableEnded) return;
    if ('method' in message) this.sendEvent(message);
    else this.sendAnswer(message);
  }

  async close(): Promise<void> {
    this.response.end();
  }

  private sendEvent(message: JSONRPCMessage): void {
    if (!this.acceptsEvents) return;
    if (!this.response.headersSent) {
      this.response.writeHead(200, {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-cache, no-transform',
        // Otherwise nginx buffers the events.
        'X-Accel-Buffering': 'no',
      });
    }
    this.response.write(formatEvent(message));
  }

  private sendAnswer(message: JSONRPCMessage): void {
    const text = this.response.headersSent ? formatEvent(message) : JSON.stringify(message);
    const length = Buffer.byteLength(text);
    this.response.req.answerRoom.write(length);
    if (!this.response.headersSent) {
      this.response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': length });
    }
    this.response.end(text);
  }
}

const formatEvent = (message: JSONRPCMessage): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
