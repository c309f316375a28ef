import type { IncomingHttpHeaders } from 'node:http';
import { AGENT_KEY_PREFIX } from '#contracts';

const BEARER_KEY = new RegExp(`^Bearer +(${AGENT_KEY_PREFIX}\\S*)$`, 'i');

/** The agent key in `Authorization: Bearer agt_…`: all that many programs let one set. Undefined for any other token. */
export function bearerAgentKey({ authorization }: IncomingHttpHeaders): string | undefined {
  return BEARER_KEY.exec(authorization ?? '')?.[1];
}
