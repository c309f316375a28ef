/**
 * The configuration that the modules use: one frozen group for each concern. `load-config.ts` creates them from the
 * environment. This file imports only types.
 */
import type { Role } from '#contracts/states';
import type { DatabaseConnection, DatabaseTimeouts } from '#database';

export class HttpConfig {
  readonly port: number;
  readonly host: string;
  /** The URL at which people reach the gateway, for links, without a trailing slash; null if unknown. */
  readonly publicUrl: string | null;
  /** The value of Express's "trust proxy" setting: false, true, a number of hops, or addresses. */
  readonly trustProxy: boolean | number | string;
  readonly corsOrigins: readonly string[];
  readonly production: boolean;
  readonly logLevel: string;
}

export class DatabaseConfig {
  readonly connection: DatabaseConnection;
  readonly poolSize: number;
  readonly migrateAtStart: boolean;
  /** No setting: callers rely on the time in which a 503 comes. Only tests change it. */
  readonly timeouts: DatabaseTimeouts;
}

/** The OpenID provider with which people sign in. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The name on the button. */
  readonly name: string;
  /** Separated by spaces, with `openid`. */
  readonly scopes: string;
  /** In lower case; empty: every domain. */
  readonly allowedDomains: readonly string[];
  /** Which groups of a claim give which role in the first workspace; null: groups give none. */
  readonly roles: { readonly claim: string; readonly map: ReadonlyMap<string, Role> } | null;
}

export class AuthConfig {
  readonly jwtSecret: string;
  readonly accessTtlSeconds: number;
  readonly refreshTtlSeconds: number;
  /** A session ends this long after its login, however often it is used. */
  readonly sessionMaxDays: number;
  readonly allowRegistration: boolean;
  /** Whether people may log in with a password. */
  readonly passwordLogin: boolean;
  readonly oidc: OidcSettings | null;
  readonly setupToken: string | null;
  readonly adminEmail: string | null;
  readonly adminPassword: string | null;
}

export class CryptoConfig {
  readonly encryptionSecret: string;
  /** Stored values may still be encrypted with it. New values never are. */
  readonly previousEncryptionSecret: string | null;
  readonly encryptionSalt: string;
}

export class RiskConfig {
  readonly llmBaseUrl: string;
  readonly llmApiKey: string;
  readonly llmModel: string;
  readonly llmTimeoutMs: number;
  /** How much text of one request the model gets. */
  readonly promptMaxBytes: number;
  readonly threshold: number;
  readonly cacheSeconds: number;
  /** Whether the model is asked about requests that something else has held. */
  readonly assessHeld: boolean;
}

export class ApprovalsConfig {
  readonly pendingTtlHours: number;
  readonly executeTtlHours: number;
  /** How long a denial causes equal requests to be held; 0 turns this off. */
  readonly denialHoldsHours: number;
}

/** How long others may take for a whole answer. */
export interface EgressTimeouts {
  readonly upstreamMs: number;
  readonly tokenEndpointMs: number;
  /** A receiver of callbacks or notifications. */
  readonly receiverMs: number;
}

export class EgressConfig {
  /** `host:port` entries that services may use although they are private addresses. */
  readonly privateTargetAllowlist: ReadonlySet<string>;
  /** Whose services may use these entries: those of installation administrators, or all. */
  readonly privateTargetAccess: 'admins' | 'all';
  /** In lower case. This account and the first account are installation administrators. */
  readonly adminEmail: string | null;
  /** `host:port` entries that callbacks may go to although they are private addresses. */
  readonly callbackPrivateHosts: ReadonlySet<string>;
  /** `host:port` entries that notifications may go to although they are private addresses. */
  readonly channelPrivateHosts: ReadonlySet<string>;
  /**
   * `host:port` of this gateway and its database. They are never allowed as targets, even if the allowlist names them.
   */
  readonly ownTargets: ReadonlySet<string>;
  /** No settings: agents are told these times. Only tests change them. */
  readonly timeouts: EgressTimeouts;
}

/** The operator's mail server. */
export class MailConfig {
  /** null: the gateway sends no mail. */
  readonly smtpUrl: string | null;
  readonly from: string | null;
}

export class AuditConfig {
  /** 0 keeps records forever. */
  readonly retentionDays: number;
}

/** Limits for one agent. */
export class AgentsConfig {
  /** The largest body of a request to an upstream. */
  readonly bodyMaxBytes: number;
  /** The longest answer that is passed on as it arrives. */
  readonly streamMaxBytes: number;
  readonly streamMaxSeconds: number;
  /** Requests in progress, per process. */
  readonly maxInFlight: number;
  /** Bytes of request bodies and unread responses, per process. */
  readonly maxBufferedBytes: number;
  /** Open actions. */
  readonly maxPending: number;
  /** Bytes of the requests in its open actions. */
  readonly maxHeldBytes: number;
  /** Bytes of the responses that are stored for its idempotency keys. */
  readonly maxStoredBytes: number;
}

/** Where Prometheus reads the metrics. */
export class MetricsConfig {
  /** What it must send; null: nothing. */
  readonly token: string | null;
  /** A port for metrics alone; null: the port of the gateway, if there is a token. */
  readonly port: number | null;
  readonly host: string;
  /** Whether each agent has its own series. */
  readonly agentDetail: boolean;
}

export interface Config {
  readonly http: HttpConfig;
  readonly database: DatabaseConfig;
  readonly auth: AuthConfig;
  readonly crypto: CryptoConfig;
  readonly risk: RiskConfig;
  readonly approvals: ApprovalsConfig;
  readonly egress: EgressConfig;
  readonly mail: MailConfig;
  readonly audit: AuditConfig;
  readonly agents: AgentsConfig;
  readonly metrics: MetricsConfig;
  /** The current value of every variable, for the status page. Secrets show as `set` or `unset`. */
  readonly summary: readonly { name: string; value: string; secret: boolean }[];
}
