/** Names of headers that are part of the interface, in the case in which they are documented. This file imports nothing. */

export const AGENT_KEY_HEADER = 'Agent-Key';
export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';
/** Present: the upstream answered. Absent: the gateway did (contract 5). */
export const PROXY_STATUS_HEADER = 'X-Proxy-Status';
export const IDEMPOTENCY_STATUS_HEADER = 'X-Idempotency-Status';
export const REQUEST_ID_HEADER = 'X-Request-Id';
export const DEFAULT_API_KEY_HEADER = 'X-API-Key';

/** On every error: its stable name, one of `ERROR_CODES`. */
export const ERROR_CODE_HEADER = 'X-Error-Code';

/** Stands in the browser, readable, while the dashboard has its refresh token replaced; the new token's answer takes it away. */
export const REFRESHING_COOKIE = 'agw_refreshing';

/** Every agent key starts with this; 64 hexadecimal characters follow (contract 4). */
export const AGENT_KEY_PREFIX = 'agt_';
/** How many characters of an agent key may be shown, for identification. */
export const AGENT_KEY_SHOWN = 12;
/** What stands in the place of every credential value (contract 3). */
export const CREDENTIAL_MASK = '********';
