/**
 * The configuration as the modules take it: one frozen group for each concern. `load-config.ts` makes them from the
 * environment. Depends on nothing of ours.
 */

export class HttpConfig {
  readonly port: number;
  readonly host: string;
  /** Where people reach the gateway, for links; null: unknown. Without a slash at the end. */
  readonly publicUrl: string | null;
  /** What Express calls "trust proxy": false, true, a number of hops, or addresses. */
  readonly trustProxy: boolean | number | string;
  readonly corsOrigins: readonly string[];
  readonly production: boolean;
  readonly logLevel: string;
}

export class DatabaseConfig {
  readonly url: string;
  readonly poolSize: number;
  readonly migrateAtStart: boolean;
}

export class AuthConfig {
  readonly jwtSecret: string;
  readonly accessTtlSeconds: number;
  readonly refreshTtlSeconds: number;
  readonly allowRegistration: boolean;
  readonly setupToken: string | null;
  readonly adminEmail: string | null;
  readonly adminPassword: string | null;
}

export class CryptoConfig {
  readonly encryptionSecret: string;
  readonly encryptionSalt: string;
}

export class RiskConfig {
  readonly llmBaseUrl: string;
  readonly llmApiKey: string;
  readonly llmModel: string;
  readonly llmTimeoutMs: number;
  readonly threshold: number;
  readonly cacheSeconds: number;
}

export class ApprovalsConfig {
  readonly pendingTtlHours: number;
  readonly executeTtlHours: number;
  /** How long a denial holds equal requests; 0: not at all. */
  readonly denialHoldsHours: number;
}

export class EgressConfig {
  /** `host:port` entries that may be private addresses. */
  readonly privateTargetAllowlist: ReadonlySet<string>;
  /** Whose services may use those: the ones of installation administrators, or all. */
  readonly privateTargetAccess: 'admins' | 'all';
  /** In lower case. This account is an installation administrator, and so is the first one. */
  readonly adminEmail: string | null;
  /** `host:port` entries that callbacks may go to although they are private addresses. */
  readonly callbackPrivateHosts: ReadonlySet<string>;
  /** Where this gateway and its database answer, `host:port`: no target of anybody, allow-listed or not. */
  readonly ownTargets: ReadonlySet<string>;
}

export class AuditConfig {
  /** 0: for ever. */
  readonly retentionDays: number;
}

/** What one agent may have at once. */
export class AgentsConfig {
  /** Requests, in each process. */
  readonly maxInFlight: number;
  /** Of request bodies, in each process. */
  readonly maxBufferedBytes: number;
  /** Open actions. */
  readonly maxPending: number;
  /** Of answers that are stored for its keys. */
  readonly maxStoredBytes: number;
}

export interface Config {
  readonly http: HttpConfig;
  readonly database: DatabaseConfig;
  readonly auth: AuthConfig;
  readonly crypto: CryptoConfig;
  readonly risk: RiskConfig;
  readonly approvals: ApprovalsConfig;
  readonly egress: EgressConfig;
  readonly audit: AuditConfig;
  readonly agents: AgentsConfig;
  /** Every variable as it is in force, secrets as `set` or `unset`: for the status page. */
  readonly summary: readonly { name: string; value: string; secret: boolean }[];
}
