import type { Request } from 'express';
import { ApiError, errors } from '../platform/errors.js';
import type { HttpConfig } from '../platform/config.js';

/**
 * The transport's rules for a POST (MCP 2025-11-25, "Streamable HTTP"). A caller that accepts JSON only is served too,
 * without progress. @param versions of the protocol that are supported @throws ApiError 400, 403, 406
 */
export function assertMcpRequest(request: Request, config: HttpConfig, versions: readonly string[]): void {
  assertOrigin(request.headers.origin, config);
  if (!accepts(request, 'application/json')) {
    throw new ApiError(406, 'Accept must allow application/json and should allow text/event-stream');
  }
  const version = request.headers['mcp-protocol-version'];
  if (version !== undefined && !versions.includes(String(version))) {
    throw errors.invalid(
      `MCP-Protocol-Version ${String(version).slice(0, 32)} is not supported; supported are ${versions.join(', ')}`,
    );
  }
}

export const acceptsEvents = (request: Request): boolean => accepts(request, 'text/event-stream');

/** The header must name `text/event-stream`. A wildcard also comes from programs that don't know about it. */
function accepts({ headers: { accept } }: Request, type: 'application/json' | 'text/event-stream'): boolean {
  if (type === 'application/json') return accept === undefined || /\bapplication\/(json|\*)|\*\/\*/i.test(accept);
  return /\btext\/event-stream\b/i.test(accept ?? '');
}

/**
 * Programs send no Origin. A page in a browser does. It may have pointed a name of its own to the address of this
 * gateway (DNS rebinding), so only pages that the operator trusts may call.
 */
function assertOrigin(origin: string | undefined, { publicUrl, corsOrigins }: HttpConfig): void {
  if (origin === undefined || corsOrigins.includes(origin.toLowerCase())) return;
  if (publicUrl !== null && new URL(publicUrl).origin === origin) return;
  throw errors.forbidden(`Origin ${origin.slice(0, 128)} is not allowed: the operator may add it to CORS_ORIGINS`);
}
