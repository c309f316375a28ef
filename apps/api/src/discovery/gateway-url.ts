import type { Request } from 'express';
import type { HttpConfig } from '../platform/config.js';

const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Where agents reach this gateway: `PUBLIC_URL`, else what the request says of it. Anybody can say anything in `Host`, so it
 * counts only where it is a plain host and port: text around it would end up in what a language model reads.
 */
export function gatewayUrl(config: Pick<HttpConfig, 'publicUrl' | 'port'>, request: Request): string {
  if (config.publicUrl !== null) return config.publicUrl;
  // Behind a proxy that is trusted, Express takes both from its X-Forwarded headers.
  const { host, protocol } = request as { host?: string; protocol: string };
  const scheme = protocol === 'https' ? 'https' : 'http';
  return `${scheme}://${host !== undefined && HOST.test(host) ? host : `localhost:${config.port}`}`;
}
