import type { DataSource } from 'typeorm';
import { CONNECTION_VIEW_SQL } from '../connections/connection-view.js';
import { PREVIOUS_SET_SQL } from '../connections/previous-credentials.js';
import { CREDENTIALS_SQL } from '../credentials/stored-credentials-sql.js';
import { DOCUMENT_IDS_SQL, DOCUMENTS_VERSION_SQL } from '../documentation/documents-sql.js';
import type { ServiceOwner } from '../egress/private-targets.js';
import { ACTIVE_RULES_SQL } from '../rules/active-rules-sql.js';
import { PAUSED_SQL } from '../service-view/service-view.js';

/** SQL expression: the `ServiceOwner` in row `w` of `workspaces`. */
const SERVICE_OWNER_SQL = `json_build_object('allowed', w.private_targets,
  'creator', (SELECT lower(u.email) FROM users u WHERE u.id = w.created_by))`;

/** Whether the services of a workspace may use private targets, for one that is not stored. */
export async function readOwner(source: DataSource, workspaceId: number): Promise<ServiceOwner> {
  const rows: { owner: ServiceOwner }[] = await source.query(
    `SELECT ${SERVICE_OWNER_SQL} AS owner FROM workspaces w WHERE w.id = $1`,
    [workspaceId],
  );
  // The workspace was deleted meanwhile.
  return rows[0]?.owner ?? { allowed: false, creator: null };
}

/** SQL expression: how row `s` of `services` sends coded bodies. AWS stores a body with its coding. */
const REQUEST_CODINGS_SQL = "coalesce(s.request_codings, CASE WHEN s.auth ? 'aws' THEN 'keep' ELSE 'decode' END)";

/** SQL expression: the view of row `s` of `services`, as JSON. */
export const SERVICE_VIEW_SQL = `json_build_object(
  'id', s.id, 'version', s.version, 'workspaceId', s.workspace_id,
  'owner', (SELECT ${SERVICE_OWNER_SQL} FROM workspaces w WHERE w.id = s.workspace_id),
  'name', s.name, 'baseUrl', s.base_url, 'authType', s.auth_type, 'auth', s.auth, 'oauth', s.oauth,
  'credentialOrigins', s.credential_origins, 'connection', ${CONNECTION_VIEW_SQL},
  'rewriteLinks', s.rewrite_links, 'requestCodings', ${REQUEST_CODINGS_SQL}, 'paused', ${PAUSED_SQL},
  'baseUrlDefaults', json_build_object('idempotency', s.base_url_idempotency, 'wait', s.base_url_wait),
  'credentials', ${CREDENTIALS_SQL}, 'previous', ${PREVIOUS_SET_SQL}, 'rules', ${ACTIVE_RULES_SQL}, 'askFor', s.ask_for,
  'documentIds', ${DOCUMENT_IDS_SQL}, 'documentsVersion', ${DOCUMENTS_VERSION_SQL})`;
