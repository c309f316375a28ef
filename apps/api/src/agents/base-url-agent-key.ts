import { Injectable, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { IncomingHttpHeaders } from 'node:http';
import { AGENT_KEY_PREFIX } from '#contracts';
import { AgentKeyGuard } from './agent-key.guard.js';

const SCHEME = new RegExp(`^(?:Bearer|token|Bot) +(${AGENT_KEY_PREFIX}\\S*)$`, 'i');
/**
 * The agent key as the access key id of an AWS signature. The signature itself is not checked: the gateway makes its
 * own. A comma ends a key too. Otherwise, in a header with many keys and no slash, the search would read from each key
 * to the end of the header.
 */
const AWS = new RegExp(`^AWS4-HMAC-SHA256 (?:.*[ ,])?Credential=(${AGENT_KEY_PREFIX}[^/\\s,]*)/`);
const BASIC = /^Basic +([A-Za-z0-9+/_-]+=*)$/i;
/** Headers in which SDKs send their API key. */
const KEY_HEADERS = ['x-api-key', 'api-key', 'x-goog-api-key', 'private-token'];

/** Finds the agent key where SDKs send it below `/s/<service>/`. Undefined if there is none. */
export function baseUrlAgentKey(headers: IncomingHttpHeaders): string | undefined {
  const fromAuthorization = inAuthorization(headers.authorization ?? '');
  if (fromAuthorization !== undefined) return fromAuthorization;
  return KEY_HEADERS.map((name) => headers[name]).find(isKey);
}

function inAuthorization(value: string): string | undefined {
  const key = SCHEME.exec(value)?.[1] ?? AWS.exec(value)?.[1];
  if (key !== undefined) return key;
  const pair = Buffer.from(BASIC.exec(value)?.[1] ?? '', 'base64').toString();
  const colon = pair.indexOf(':');
  return colon < 0 ? undefined : [pair.slice(0, colon), pair.slice(colon + 1)].find(isKey);
}

const isKey = (value: unknown): value is string => typeof value === 'string' && value.startsWith(AGENT_KEY_PREFIX);

/**
 * Finds the agent by `Agent-Key`, or else by the key in an SDK's API key header, and removes that header from the
 * request.
 */
@Injectable()
export class BaseUrlAgentKeyGuard extends AgentKeyGuard {
  override canActivate(context: ExecutionContext): Promise<boolean> {
    const { headers } = context.switchToHttp().getRequest<Request>();
    headers['agent-key'] ??= baseUrlAgentKey(headers);
    // `Authorization` is never forwarded. The other headers can be, for services that read them.
    for (const name of KEY_HEADERS) if (isKey(headers[name])) delete headers[name];
    return super.canActivate(context);
  }
}
