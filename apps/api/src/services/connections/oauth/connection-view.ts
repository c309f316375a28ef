import type { Connection, ConnectionState, OAuthSettings } from '#contracts';

/** The fields of a service view that are about its connection. Times are in milliseconds. */
export interface ConnectionView {
  /**
   * Incremented by each token that is stored. It is not part of the service's version, because a new token changes no
   * decision.
   */
  tokenNumber: number;
  /** The provider no longer accepts the stored token. */
  needsReconnect: boolean;
  /** Null: unknown. */
  expiresAtMs: number | null;
  /** When the token should be renewed, some time before it expires. */
  refreshAtMs: number | null;
}

/** SQL expression: the view of the connection of row `s` of `services`, as JSON. */
export const CONNECTION_VIEW_SQL = `(SELECT json_build_object(
    'tokenNumber', c.token_number, 'needsReconnect', c.needs_reconnect,
    'expiresAtMs', floor(extract(epoch FROM c.expires_at) * 1000), 'refreshAtMs', floor(extract(epoch FROM c.refresh_at) * 1000))
  FROM connections c WHERE c.service_id = s.id)`;

interface Tokens {
  oauth: OAuthSettings;
  needsReconnect: boolean;
  expiresAtMs: number | null;
}

/**
 * Whether a new token can be obtained without a person.
 * @param stored the names of the stored credentials
 */
export const canRenew = ({ grant }: OAuthSettings, stored: (name: string) => boolean): boolean =>
  grant === 'client_credentials' ? stored('client_secret') : stored('refresh_token');

/** See docs/reference/egress.md#oauth. */
function connectionState(
  { oauth, needsReconnect, expiresAtMs }: Tokens,
  stored: (name: string) => boolean,
  nowMs: number,
): ConnectionState {
  if (needsReconnect) return 'reconnect';
  const hasToken = stored('access_token');
  if (hasToken && (expiresAtMs === null || nowMs < expiresAtMs)) return 'connected';
  if (canRenew(oauth, stored)) return 'expired';
  return hasToken ? 'reconnect' : 'none';
}

/** The columns of `connections` that a response shows. */
export interface ConnectionRow {
  needsReconnect: boolean;
  expiresAt: string | null;
  scopes: string[] | null;
  connectedBy: number | null;
  connectedByName: string | null;
  connectedAt: string | null;
  error: string | null;
}

/** @param iso turns a moment of the database into ISO 8601 */
export function toConnection(
  oauth: OAuthSettings,
  row: ConnectionRow,
  credentialNames: readonly string[],
  iso: (moment: string) => string,
  nowMs: number,
): Connection {
  const expiresAt = row.expiresAt === null ? null : iso(row.expiresAt);
  const expiresAtMs = expiresAt === null ? null : Date.parse(expiresAt);
  const tokens = { oauth, needsReconnect: row.needsReconnect, expiresAtMs };
  return {
    state: connectionState(tokens, (name) => credentialNames.includes(name), nowMs),
    expiresAt,
    scopes: row.scopes ?? [],
    connectedBy: row.connectedByName === null ? null : { id: row.connectedBy, name: row.connectedByName },
    connectedAt: row.connectedAt === null ? null : iso(row.connectedAt),
    error: row.error,
  };
}
