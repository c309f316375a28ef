import type {
  AskedEffect,
  AuthSettings,
  AuthType,
  BaseUrlDefaults,
  HttpMethod,
  OAuthSettings,
  RequestCodings,
  RewriteLinks,
  RuleEffect,
  RuleExceptions,
  RuleLimit,
  RuleMode,
} from '#contracts';
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
  /** A condition in CEL. Empty: none. */
  when: string;
  instruction: string;
  /** Empty: all. */
  agentIds: number[];
  /** How many people must approve. */
  approvals: number;
  /** Who may approve. Empty: everyone whose role allows it. */
  approverIds: number[];
  /** Null: the effect is not `limit`. */
  limit: RuleLimit | null;
  /** Whether exceptions can lift it, if it asks. Missing: none can. */
  exceptions?: RuleExceptions;
  /** The ids of the rules that it lifts. Missing or empty: it is no exception. */
  exceptionTo?: number[];
  /** In milliseconds. */
  expiresAt: number | null;
  maxUses: number | null;
  /** In milliseconds. */
  createdAt: number;
}

/**
 * The fields of a service view that are about its connection. The database judged the times when the view was read. It
 * judges them again when a record is written, so the clock of this process does not matter.
 */
export interface ConnectionView {
  /**
   * Incremented by each token that is stored. It is not part of the service's version, because a new token changes no
   * decision.
   */
  tokenNumber: number;
  /** The provider no longer accepts the stored token. */
  needsReconnect: boolean;
  /** The token should be renewed, some time before it ends. */
  isDue: boolean;
  /** The token has ended. */
  hasEnded: boolean;
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
  /** The active rules that decide. */
  rules: readonly ServiceRule[];
  /** The active rules that decide nothing. */
  observed: readonly ServiceRule[];
  /** What people are asked about, whatever the score. */
  askFor: readonly AskedEffect[];
  documentIds: readonly number[];
  /** Changes whenever one of the documents changes. */
  documentsVersion: string;
  /** While the service is paused: the reason, or the service's name if nobody gave one. null: not paused. */
  paused: string | null;
  /** Incremented by each change of the service, its credentials, documentation and rules. */
  version: number;
}

export interface ServiceViewJson extends Omit<ServiceView, 'credentials' | 'observed'> {
  credentials: [string, string][];
  /** All active rules. */
  rules: readonly (ServiceRule & { mode: RuleMode })[];
}

/** SQL expression: why row `s` of `services` is paused; null: it is not. */
export const PAUSED_SQL = 'CASE WHEN s.paused_at IS NOT NULL THEN coalesce(s.paused_reason, s.name) END';

export function toServiceView(json: ServiceViewJson): ServiceView {
  // Split here, so that nothing else can take an observed rule for one that decides.
  const rules = json.rules.filter(({ mode }) => mode === 'enforce');
  const observed = json.rules.filter(({ mode }) => mode !== 'enforce');
  return { ...json, rules, observed, credentials: new Map(json.credentials) };
}
