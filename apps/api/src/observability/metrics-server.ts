import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { MetricsConfig } from '../platform/config.js';
import { ApiError } from '../platform/errors.js';
import { Log } from '../platform/logging.js';
import { MetricsPage } from './metrics-page.js';

/** A scraper needs one connection. More than these are refused. */
const CONNECTIONS_MAX = 50;

/** `GET /metrics` on `METRICS_PORT`, and nothing else there. It answers until the process stops. */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | null = null;

  constructor(
    private readonly page: MetricsPage,
    private readonly config: MetricsConfig,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { port, host } = this.config;
    if (port === null) return;
    this.server = createServer((request, response) => void this.answer(request, response));
    this.server.maxConnections = CONNECTIONS_MAX;
    this.server.listen(port, host);
    await once(this.server, 'listening');
    this.server.on('error', (err) => this.log.error({ err }, 'metrics server failed'));
    this.log.info({ address: this.address() }, 'metrics are served');
  }

  /** Where it listens; null: nowhere. */
  address(): AddressInfo | null {
    return (this.server?.address() as AddressInfo | null | undefined) ?? null;
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const [path] = (request.url ?? '').split('?');
      if (path !== '/metrics' || !['GET', 'HEAD'].includes(request.method ?? ''))
        return end(response, 404, 'Not found\n');
      this.page.assertAllowed(request.headers.authorization);
      response.setHeader('Content-Type', this.page.contentType);
      end(response, 200, await this.page.text());
    } catch (error) {
      if (!(error instanceof ApiError)) this.log.error({ err: error }, 'metrics could not be read');
      const { statusCode, message } =
        error instanceof ApiError ? error : { statusCode: 500, message: 'Internal error' };
      if (statusCode === 401) response.setHeader('WWW-Authenticate', 'Bearer realm="Agent Gateway metrics"');
      end(response, statusCode, `${message}\n`);
    }
  }
}

function end(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  if (!response.hasHeader('content-type')) response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end(text);
}
