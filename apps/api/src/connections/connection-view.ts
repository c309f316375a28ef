import type { Connection, ConnectionState, OAuthSettings } from '#contracts';

/** SQL expression: the token of row `c` of `connections` has ended. */
export const TOKEN_HAS_ENDED_SQL = 'coalesce(c.expires_at <= clock_timestamp(), false)';

/** SQL expression: the view of the connection of row `s` of `services`, as JSON. */
export const CONNECTION_VIEW_SQL = `(SELECT json_build_object(
    'tokenNumber', c.token_number, 'needsReconnect', c.needs_reconnect,
    'isDue', coalesce(c.refresh_at <= clock_timestamp(), false), 'hasEnded', ${TOKEN_HAS_ENDED_SQL})
  FROM connections c WHERE c.service_id = s.id)`;

/**
 * Whether a new token can be obtained without a person.
 * @param stored the names of the stored credentials
 */
export const canRenew = ({ grant }: OAuthSettings, stored: (name: string) => boolean): boolean =>
  grant === 'client_credentials' ? stored('client_secret') : stored('refresh_token');

/** See docs/reference/egress.md#oauth. */
function connectionState(
  oauth: OAuthSettings,
  { needsReconnect, hasEnded }: ConnectionRow,
  stored: (name: string) => boolean,
): ConnectionState {
  if (needsReconnect) return 'reconnect';
  const hasToken = stored('access_token');
  if (hasToken && !hasEnded) return 'connected';
  if (canRenew(oauth, stored)) return 'expired';
  return hasToken ? 'reconnect' : 'none';
}

/** The columns of `connections` that a response shows, as JSON. */
export interface ConnectionRow {
  needsReconnect: boolean;
  expiresAt: string | null;
  hasEnded: boolean;
  scopes: string[] | null;
  connectedBy: number | null;
  connectedByName: string | null;
  connectedAt: string | null;
  error: string | null;
}

export function toConnection(oauth: OAuthSettings, row: ConnectionRow, credentialNames: readonly string[]): Connection {
  return {
    state: connectionState(oauth, row, (name) => credentialNames.includes(name)),
    expiresAt: row.expiresAt === null ? null : new Date(row.expiresAt).toISOString(),
    scopes: row.scopes ?? [],
    connectedBy: row.connectedByName === null ? null : { id: row.connectedBy, name: row.connectedByName },
    connectedAt: row.connectedAt === null ? null : new Date(row.connectedAt).toISOString(),
    error: row.error,
  };
}
