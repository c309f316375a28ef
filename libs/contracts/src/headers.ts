/** Names of headers that are part of the interface, in their documented letter case. This file imports nothing. */

export const AGENT_KEY_HEADER = 'Agent-Key';
export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';
/**
 * Present if the response comes from the upstream, absent if it comes from the gateway
 * (docs/reference/agent-api.md#answers).
 */
export const PROXY_STATUS_HEADER = 'X-Proxy-Status';
export const IDEMPOTENCY_STATUS_HEADER = 'X-Idempotency-Status';
export const REQUEST_ID_HEADER = 'X-Request-Id';
export const DEFAULT_API_KEY_HEADER = 'X-API-Key';

/** Every personal access token starts with this; 64 hexadecimal characters follow. */
export const ACCESS_TOKEN_PREFIX = 'agw_';

/** The workspace that a request of the dashboard is about. */
export const WORKSPACE_ID_HEADER = 'X-Workspace-Id';

/** Every error carries its stable name in this header, one of `ERROR_CODES`. */
export const ERROR_CODE_HEADER = 'X-Error-Code';

/**
 * The dashboard sets this script-readable cookie before it refreshes its token. The response with the new token removes
 * it.
 */
export const REFRESHING_COOKIE = 'agw_refreshing';

/** Every agent key starts with this; 64 hexadecimal characters follow (docs/reference/agent-api.md#agent-keys). */
export const AGENT_KEY_PREFIX = 'agt_';
/** How many characters of an agent key may be shown to identify it. */
export const AGENT_KEY_SHOWN = 12;
/** Replaces every credential value in responses (docs/reference/dashboard-api.md#masking). */
export const CREDENTIAL_MASK = '********';
