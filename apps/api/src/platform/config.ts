/**
 * The configuration: read from the environment, checked, and handed out as one frozen group per concern (spec
 * "Configuration variables", contract 11). The only reader of `process.env`. Depends on nothing of ours.
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

/** Lists every fault; names variables and rules, never a value. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`Invalid configuration:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

const SECRETS = new Set([
  'DATABASE_URL',
  'JWT_SECRET',
  'ENCRYPTION_SECRET',
  'ENCRYPTION_SALT',
  'LLM_API_KEY',
  'SETUP_TOKEN',
  'ADMIN_EMAIL',
  'ADMIN_PASSWORD',
]);
const MIB = 1024 * 1024;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
/** The spec's "fixed default salt string": the same on all instances. */
const DEFAULT_SALT = 'agent-gateway-credentials';

export type Environment = Record<string, string | undefined>;

/** @throws ConfigError with every fault at once */
export function loadConfig(env: Environment = process.env): Config {
  const reader = new Reader(env);
  const http = Object.freeze({
    port: reader.integer('PORT', 3000, 0, 65_535),
    host: reader.text('HOST', '0.0.0.0'),
    publicUrl: reader.optional('PUBLIC_URL', httpUrl)?.replace(/\/+$/, '') ?? null,
    trustProxy: reader.trustProxy(),
    corsOrigins: reader.list('CORS_ORIGINS', origin),
    production: reader.choice('NODE_ENV', 'development', ['development', 'production', 'test']) === 'production',
    logLevel: reader.choice('LOG_LEVEL', 'info', LOG_LEVELS),
  });
  const database = Object.freeze({
    url: reader.required('DATABASE_URL', postgresUrl),
    poolSize: reader.integer('DATABASE_POOL_SIZE', 20, 2, 1000),
    migrateAtStart: reader.boolean('DATABASE_MIGRATE', true),
  });
  const auth = Object.freeze({
    jwtSecret: reader.required('JWT_SECRET'),
    accessTtlSeconds: reader.duration('JWT_ACCESS_EXPIRY', '15m'),
    refreshTtlSeconds: reader.duration('JWT_REFRESH_EXPIRY', '7d'),
    allowRegistration: reader.boolean('ALLOW_REGISTRATION', false),
    setupToken: reader.optional('SETUP_TOKEN'),
    ...reader.admin(),
  });
  const config: Config = {
    http,
    database,
    auth,
    crypto: Object.freeze({
      encryptionSecret: reader.required('ENCRYPTION_SECRET', (value) =>
        value.length < 32 ? 'must have at least 32 characters' : null,
      ),
      encryptionSalt: reader.text('ENCRYPTION_SALT', DEFAULT_SALT),
    }),
    risk: Object.freeze({
      llmBaseUrl: reader.required('LLM_BASE_URL', httpUrl),
      llmApiKey: reader.required('LLM_API_KEY'),
      llmModel: reader.text('LLM_MODEL', 'gpt-4o-mini'),
      llmTimeoutMs: reader.integer('LLM_TIMEOUT_MS', 10_000, 1, 600_000),
      threshold: reader.fraction('RISK_THRESHOLD', 0.5),
      cacheSeconds: reader.integer('RISK_CACHE_SECONDS', 60, 0, 86_400),
    }),
    approvals: Object.freeze({
      pendingTtlHours: reader.integer('APPROVAL_PENDING_TTL_HOURS', 24, 1, 8760),
      executeTtlHours: reader.integer('APPROVAL_EXECUTE_TTL_HOURS', 1, 1, 8760),
      denialHoldsHours: reader.integer('DENIAL_HOLDS_HOURS', 24, 0, 8760),
    }),
    egress: Object.freeze({
      privateTargetAllowlist: new Set(reader.list('PRIVATE_TARGET_ALLOWLIST', hostAndPort)),
      privateTargetAccess:
        reader.choice('PRIVATE_TARGET_ACCESS', 'admins', ['admins', 'all']) === 'all' ? 'all' : 'admins',
      adminEmail: auth.adminEmail?.toLowerCase() ?? null,
      callbackPrivateHosts: new Set(reader.list('CALLBACK_PRIVATE_HOSTS', hostAndPort)),
      ownTargets: ownTargets(http, database),
    }),
    audit: Object.freeze({ retentionDays: reader.integer('AUDIT_RETENTION_DAYS', 0, 0, 36_500) }),
    agents: Object.freeze({
      maxInFlight: reader.integer('AGENT_MAX_IN_FLIGHT', 256, 1, 100_000),
      maxBufferedBytes: reader.integer('AGENT_MAX_BUFFERED_MB', 128, 1, 100_000) * MIB,
      maxPending: reader.integer('AGENT_MAX_PENDING', 20_000, 1, 10_000_000),
      maxStoredBytes: reader.integer('AGENT_MAX_STORED_MB', 1024, 1, 10_000_000) * MIB,
    }),
    summary: reader.summary,
  };
  if (reader.faults.length > 0) throw new ConfigError(reader.faults);
  return Object.freeze(config);
}

/** A URL may carry a password, or a key in its query; what is shown of it must not. */
export const withoutSecrets = (url: string): string =>
  url.replace(/\/\/[^/@]*@/, '//').replace(/([?&](?!api-version=)[^=&]*=)[^&]*/g, '$1***');

type Rule = (value: string) => string | null;

class Reader {
  readonly faults: string[] = [];
  readonly summary: { name: string; value: string; secret: boolean }[] = [];

  constructor(private readonly env: Environment) {}

  required(name: string, rule?: Rule): string {
    const value = this.read(name, null);
    if (value === null) this.faults.push(`${name} is required`);
    else this.check(name, value, rule);
    return value ?? '';
  }

  optional(name: string, rule?: Rule): string | null {
    const value = this.read(name, null);
    if (value !== null) this.check(name, value, rule);
    return value;
  }

  text(name: string, fallback: string): string {
    return this.read(name, fallback)!;
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.read(name, String(fallback))!;
    const value = /^\d{1,12}$/.test(text) ? Number(text) : NaN;
    if (!(value >= min && value <= max)) this.faults.push(`${name} must be an integer from ${min} to ${max}`);
    return value;
  }

  fraction(name: string, fallback: number): number {
    const text = this.read(name, String(fallback))!;
    const value = /^\d*\.?\d+$/.test(text) ? Number(text) : NaN;
    if (!(value >= 0 && value <= 1)) this.faults.push(`${name} must be a number from 0.0 to 1.0`);
    return value;
  }

  boolean(name: string, fallback: boolean): boolean {
    return this.choice(name, String(fallback), ['true', 'false']) === 'true';
  }

  choice(name: string, fallback: string, allowed: readonly string[]): string {
    const value = this.read(name, fallback)!;
    if (!allowed.includes(value)) this.faults.push(`${name} must be one of ${allowed.join(', ')}`);
    return value;
  }

  /** @returns seconds */
  duration(name: string, fallback: string): number {
    const match = /^([1-9]\d{0,8})([smhd])$/.exec(this.read(name, fallback)!);
    if (!match) this.faults.push(`${name} must be a number with a unit s, m, h or d, like ${fallback}`);
    return match ? Number(match[1]) * UNIT_SECONDS[match[2]] : 0;
  }

  list(name: string, rule: Rule): string[] {
    const entries = this.read(name, '')!
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
    for (const entry of entries) this.check(name, entry, rule);
    return entries.map((entry) => entry.toLowerCase());
  }

  trustProxy(): boolean | number | string {
    const value = this.read('TRUST_PROXY', 'false')!;
    if (value === 'true' || value === 'false') return value === 'true';
    if (/^\d{1,3}$/.test(value)) return Number(value);
    const names = value.split(',').map((name) => name.trim());
    if (!names.every((name) => /^(loopback|linklocal|uniquelocal|[0-9a-fA-F.:]+(\/\d{1,3})?)$/.test(name))) {
      this.faults.push('TRUST_PROXY must be true, false, a number of hops, or addresses');
    }
    return value;
  }

  /** Both or neither: an account that nobody can log in to would close the first registration. */
  admin(): { adminEmail: string | null; adminPassword: string | null } {
    const adminEmail = this.optional('ADMIN_EMAIL', (value) =>
      /^[^\s@]+@[^\s@]+$/.test(value) ? null : 'must be an e-mail address',
    );
    const adminPassword = this.optional('ADMIN_PASSWORD', (value) =>
      value.length >= 12 && value.length <= 128 ? null : 'must have 12 to 128 characters',
    );
    if ((adminEmail === null) !== (adminPassword === null)) {
      this.faults.push('ADMIN_EMAIL and ADMIN_PASSWORD must be set together');
    }
    return { adminEmail, adminPassword };
  }

  /** An empty variable counts as unset: compose files pass those. */
  private read(name: string, fallback: string | null): string | null {
    const given = this.env[name]?.trim();
    const value = given ? given : fallback;
    const secret = SECRETS.has(name);
    this.summary.push({ name, value: secret ? (given ? 'set' : 'unset') : withoutSecrets(value ?? ''), secret });
    return value;
  }

  private check(name: string, value: string, rule?: Rule): void {
    const fault = rule?.(value) ?? null;
    if (fault !== null && !this.faults.includes(`${name} ${fault}`)) this.faults.push(`${name} ${fault}`);
  }
}

function parsed(value: string): URL | null {
  return URL.canParse(value) ? new URL(value) : null;
}

const DEFAULT_PORTS: Record<string, string> = {
  'http:': '80',
  'https:': '443',
  'postgres:': '5432',
  'postgresql:': '5432',
};

/** The same spelling as in the allow-list: literal host and port, the default port spelled out. */
function ownTargets(http: HttpConfig, database: DatabaseConfig): ReadonlySet<string> {
  const known = [http.publicUrl, database.url].flatMap((text) => parsed(text ?? '') ?? []);
  const own = known.map(
    ({ protocol, hostname, port }) => `${hostname.toLowerCase()}:${port || DEFAULT_PORTS[protocol]}`,
  );
  const hosts = ['localhost', '127.0.0.1', '[::1]', http.host.includes(':') ? `[${http.host}]` : http.host];
  return new Set([...own, ...hosts.map((host) => `${host.toLowerCase()}:${http.port}`)]);
}

const httpUrl: Rule = (value) =>
  /^https?:$/.test(parsed(value)?.protocol ?? '') ? null : 'must be an http or https URL';

const postgresUrl: Rule = (value) =>
  /^postgres(ql)?:$/.test(parsed(value)?.protocol ?? '')
    ? null
    : 'must be a PostgreSQL connection string (postgres://…)';

const origin: Rule = (value) =>
  parsed(value)?.origin === value.toLowerCase() ? null : 'must be a list of origins like https://dashboard.example.com';

const hostAndPort: Rule = (value) =>
  /^([a-z0-9._-]+|\[[0-9a-f:.]+\]):\d{1,5}$/i.test(value) && Number(value.slice(value.lastIndexOf(':') + 1)) <= 65_535
    ? null
    : 'must be a list of host:port';
