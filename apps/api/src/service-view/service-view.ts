import type {
  AuthSettings,
  AuthType,
  BaseUrlDefaults,
  HttpMethod,
  OAuthSettings,
  RequestCodings,
  RewriteLinks,
  RuleEffect,
} from '#contracts';
import { CONNECTION_VIEW_SQL, type ConnectionView } from './connection-view.js';
import type { ServiceOwner } from '../egress/private-targets.js';

/** The settings that decide how the credentials of a service become part of a request. */
export interface Authentication {
  authType: AuthType;
  auth: AuthSettings | null;
}

/** A rule as the assessment of requests sees it. */
export interface ServiceRule {
  id: number;
  name: string;
  effect: RuleEffect;
  /** Empty: all. */
  methods: HttpMethod[];
  /** Empty: all paths. */
  pathPattern: string;
  instruction: string;
  /** Empty: all. */
  agentIds: number[];
  /** How many people must approve. */
  approvals: number;
  /** Who may approve. Empty: everyone whose role allows it. */
  approverIds: number[];
  /** In milliseconds. */
  expiresAt: number | null;
  maxUses: number | null;
  /** In milliseconds. */
  createdAt: number;
}

/** Credentials as they were before the last rotation. */
export interface PreviousSet extends Authentication {
  /** Name and encrypted value. */
  credentials: [string, string][];
}

/** Everything that the assessment of a request to one service needs, from one snapshot of the database. */
export interface ServiceView {
  id: number;
  workspaceId: number;
  owner: ServiceOwner;
  name: string;
  baseUrl: string;
  authType: AuthType;
  auth: AuthSettings | null;
  oauth: OAuthSettings | null;
  /** Null if the service has no `oauth`. */
  connection: ConnectionView | null;
  rewriteLinks: RewriteLinks;
  requestCodings: RequestCodings;
  baseUrlDefaults: BaseUrlDefaults;
  /** Where the stored secrets may be sent. Null: to the present addresses. */
  credentialOrigins: readonly string[] | null;
  /** Name to encrypted value. */
  credentials: ReadonlyMap<string, string>;
  /** The set that a rotation has replaced and that can be put back. It is never sent, only redacted. */
  previous: PreviousSet | null;
  /** The active rules. */
  rules: readonly ServiceRule[];
  documentIds: readonly number[];
  /** Changes whenever one of the documents changes. */
  documentsVersion: string;
  /** While the service is paused: the reason, or the service's name if nobody gave one. null: not paused. */
  paused: string | null;
  /** Incremented by each change of the service, its credentials, documentation and rules. */
  version: number;
}

export type ServiceViewJson = Omit<ServiceView, 'credentials'> & { credentials: [string, string][] };

/** SQL expression: the `ServiceOwner` in row `w` of `workspaces`. */
const SERVICE_OWNER_SQL = `json_build_object('allowed', w.private_targets,
  'creator', (SELECT lower(u.email) FROM users u WHERE u.id = w.created_by))`;

/** SQL expression: why row `s` of `services` is paused; null: it is not. */
export const PAUSED_SQL = 'CASE WHEN s.paused_at IS NOT NULL THEN coalesce(s.paused_reason, s.name) END';

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
  'credentials', (SELECT coalesce(json_agg(json_build_array(c.name, c.encrypted_value) ORDER BY c.id), '[]')
    FROM credentials c WHERE c.service_id = s.id),
  'previous', (SELECT json_build_object('authType', p.auth_type, 'auth', p.auth, 'credentials',
      (SELECT coalesce(json_agg(json_build_array(v.name, v.encrypted_value) ORDER BY v.id), '[]')
       FROM previous_credentials v WHERE v.service_id = s.id))
    FROM previous_credential_sets p WHERE p.service_id = s.id),
  'rules', (SELECT coalesce(json_agg(json_build_object(
      'id', r.id, 'name', r.name, 'effect', r.effect, 'methods', r.methods, 'pathPattern', r.path_pattern,
      'instruction', r.instruction, 'agentIds', r.agent_ids,
      'approvals', r.approvals, 'approverIds', r.approver_ids,
      'expiresAt', floor(extract(epoch FROM r.expires_at) * 1000), 'maxUses', r.max_uses, 'createdAt', extract(epoch FROM r.created_at) * 1000) ORDER BY r.id), '[]')
    FROM risk_rules r WHERE r.service_id = s.id AND r.is_active AND (r.max_uses IS NULL OR r.uses < r.max_uses)),
  'documentIds', (SELECT coalesce(json_agg(d.id ORDER BY d.id), '[]') FROM service_documents d WHERE d.service_id = s.id),
  'documentsVersion', (SELECT coalesce(string_agg(d.id || ':' || d.xmin, ',' ORDER BY d.id), '')
    FROM service_documents d WHERE d.service_id = s.id))`;

export function toServiceView(json: ServiceViewJson): ServiceView {
  return { ...json, credentials: new Map(json.credentials) };
}
