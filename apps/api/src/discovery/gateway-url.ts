import type { Request } from 'express';
import type { HttpConfig } from '../platform/config.js';

const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * The URL at which agents reach this gateway: `PUBLIC_URL`, or else the request's own host. Clients can send any text
 * as `Host`, and the URL ends up in a text that a language model reads. So only a plain host and port are accepted.
 */
export function gatewayUrl(config: Pick<HttpConfig, 'publicUrl' | 'port'>, request: Request): string {
  if (config.publicUrl !== null) return config.publicUrl;
  // Behind a trusted proxy, Express reads both from the X-Forwarded headers.
  const { host, protocol } = request as { host?: string; protocol: string };
  const scheme = protocol === 'https' ? 'https' : 'http';
  return `${scheme}://${host !== undefined && HOST.test(host) ? host : `localhost:${config.port}`}`;
}
