/**
 * Loads the configuration: reads the environment, checks it, and returns one frozen group for each concern. Nothing
 * else reads `process.env`.
 */
import { z } from 'zod';
import { UPSTREAM_TIMEOUT_MS } from '#contracts/limits';
import { DATABASE_TIMEOUTS, DatabaseUrlError, parseConnection, type DatabaseConnection } from '#database';
import type { Config, CryptoConfig, EgressTimeouts, OidcSettings } from './config.js';
import { readSecretFile, SecretFileError } from './secret-files.js';
import { databaseSettings, encryptionSettings, settings } from './settings.js';
import { withoutSecrets } from './without-secrets.js';

const MIB = 1024 * 1024;
const EGRESS_TIMEOUTS: EgressTimeouts = {
  upstreamMs: UPSTREAM_TIMEOUT_MS,
  tokenEndpointMs: 10_000,
  receiverMs: 10_000,
};

export type Environment = Record<string, string | undefined>;
type EnvironmentSettings = z.infer<typeof settings>;

/** Lists every fault. The text names variables and rules, but never a value. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`Invalid configuration:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/** @throws ConfigError with all faults */
export function loadConfig(env: Environment = process.env): Config {
  const { data, connection, given } = check(settings, env);
  const config = { ...toConfigGroups(data, connection), summary: toSummary({ ...given, PUBLIC_URL: data.PUBLIC_URL }) };
  Object.values(config).forEach(Object.freeze);
  return Object.freeze(config);
}

/**
 * Loads the settings of a program that only changes the database.
 * @throws ConfigError
 */
export function loadDatabase(env: Environment = process.env): { connection: DatabaseConnection } {
  const { connection } = check(databaseSettings, env);
  return { connection };
}

/**
 * Loads only the settings that the encryption of stored values needs, for programs other than the gateway.
 * @throws ConfigError
 */
export function loadEncryption(env: Environment = process.env): {
  connection: DatabaseConnection;
  crypto: CryptoConfig;
} {
  const { data, connection } = check(encryptionSettings, env);
  return { connection, crypto: toCryptoConfig(data) };
}

/**
 * The environment with the secrets that are in files, for programs that start the gateway with settings of their own.
 * @throws ConfigError
 */
export function withSecretFiles(env: Environment): Environment {
  const { given, nameOf, faults } = givenSettings(settings, env);
  if (faults.length > 0) throw new ConfigError(faults);
  const found = Object.keys(given).filter((name) => nameOf(name) !== name);
  const without = Object.fromEntries(found.map((name) => [nameOf(name), undefined]));
  return { ...env, ...without, ...Object.fromEntries(found.map((name) => [name, given[name]])) };
}

/** @throws ConfigError with all faults: those of files first, then those of the connection to the database */
function check<S extends z.ZodObject>(
  rules: S,
  env: Environment,
): { data: z.output<S>; connection: DatabaseConnection; given: Environment } {
  const { given, nameOf, unread, faults } = givenSettings(rules, env);
  let connection: DatabaseConnection | undefined;
  try {
    // If it is missing, the rules say so.
    if (given.DATABASE_URL !== undefined) connection = parseConnection(given.DATABASE_URL, env);
  } catch (error) {
    if (!(error instanceof DatabaseUrlError)) throw error;
    faults.push(`${nameOf('DATABASE_URL')} ${error.message}`);
  }
  const checked = rules.safeParse(given);
  const issues = checked.success ? [] : checked.error.issues.filter(({ path }) => !unread.has(String(path[0])));
  faults.push(...issues.map((issue) => formatIssue(issue, nameOf)));
  if (!checked.success || connection === undefined || faults.length > 0) throw new ConfigError(faults);
  return { data: checked.data, connection, given };
}

function toCryptoConfig(all: z.infer<typeof encryptionSettings>): CryptoConfig {
  return {
    encryptionSecret: all.ENCRYPTION_SECRET,
    previousEncryptionSecret: all.ENCRYPTION_SECRET_PREVIOUS ?? null,
    encryptionSalt: all.ENCRYPTION_SALT,
  };
}

interface GivenSettings {
  given: Environment;
  /** The variable that a setting came from: `LLM_API_KEY_FILE` if a file has it. */
  nameOf: (setting: string) => string;
  /** The settings whose files have faults. */
  unread: ReadonlySet<string>;
  faults: string[];
}

/** An empty variable counts as unset, since compose files pass empty ones. */
function givenSettings(rules: z.ZodObject, env: Environment): GivenSettings {
  const faults: string[] = [];
  const [inFiles, unread] = [new Set<string>(), new Set<string>()];
  const read = (name: string): string | undefined => {
    const value = env[name]?.trim() || undefined;
    const path = isSecret(name) ? env[`${name}_FILE`]?.trim() : undefined;
    if (!path || !(name in rules.shape)) return value;
    inFiles.add(name);
    try {
      if (value !== undefined) throw new SecretFileError(`and ${name} must not both be set`);
      return readSecretFile(path);
    } catch (error) {
      if (!(error instanceof SecretFileError)) throw error;
      unread.add(name);
      faults.push(`${name}_FILE ${error.message}`);
      return undefined;
    }
  };
  const given = Object.fromEntries(Object.keys(settings.shape).map((name) => [name, read(name)]));
  return { given, nameOf: (name) => (inFiles.has(name) ? `${name}_FILE` : name), unread, faults };
}

const isSecret = (name: string): boolean => settings.shape[name as keyof typeof settings.shape].meta()?.secret === true;

/** Every value is text or missing, so a wrong type means that it is missing. */
function formatIssue({ code, path, message }: z.core.$ZodIssue, nameOf: GivenSettings['nameOf']): string {
  return `${nameOf(String(path[0]))} ${code === 'invalid_type' ? 'is required' : message}`;
}

function toConfigGroups(all: EnvironmentSettings, connection: DatabaseConnection): Omit<Config, 'summary'> {
  return {
    http: {
      port: all.PORT,
      host: all.HOST,
      publicUrl: all.PUBLIC_URL ?? null,
      trustProxy: all.TRUST_PROXY,
      corsOrigins: all.CORS_ORIGINS,
      production: all.NODE_ENV === 'production',
      logLevel: all.LOG_LEVEL,
    },
    database: {
      connection,
      poolSize: all.DATABASE_POOL_SIZE,
      migrateAtStart: all.DATABASE_MIGRATE,
      timeouts: DATABASE_TIMEOUTS,
    },
    auth: {
      jwtSecret: all.JWT_SECRET,
      accessTtlSeconds: all.JWT_ACCESS_EXPIRY,
      refreshTtlSeconds: all.JWT_REFRESH_EXPIRY,
      sessionMaxDays: all.SESSION_MAX_DAYS,
      allowRegistration: all.ALLOW_REGISTRATION,
      passwordLogin: all.PASSWORD_LOGIN,
      oidc: toOidcSettings(all),
      setupToken: all.SETUP_TOKEN ?? null,
      adminEmail: all.ADMIN_EMAIL ?? null,
      adminPassword: all.ADMIN_PASSWORD ?? null,
    },
    crypto: toCryptoConfig(all),
    risk: {
      llmBaseUrl: all.LLM_BASE_URL,
      llmApiKey: all.LLM_API_KEY,
      llmModel: all.LLM_MODEL,
      llmTimeoutMs: all.LLM_TIMEOUT_MS,
      promptMaxBytes: all.LLM_PROMPT_MAX_BYTES,
      threshold: all.RISK_THRESHOLD,
      cacheSeconds: all.RISK_CACHE_SECONDS,
      assessHeld: all.RISK_ASSESS_HELD,
    },
    approvals: {
      pendingTtlHours: all.APPROVAL_PENDING_TTL_HOURS,
      executeTtlHours: all.APPROVAL_EXECUTE_TTL_HOURS,
      denialHoldsHours: all.DENIAL_HOLDS_HOURS,
    },
    egress: toEgressConfig(all, connection),
    mail: { smtpUrl: all.SMTP_URL ?? null, from: all.MAIL_FROM ?? null },
    audit: { retentionDays: all.AUDIT_RETENTION_DAYS },
    agents: toAgentsConfig(all),
    metrics: {
      token: all.METRICS_TOKEN ?? null,
      port: all.METRICS_PORT ?? null,
      host: all.METRICS_HOST ?? all.HOST,
      agentDetail: all.METRICS_DETAIL === 'agents',
    },
  };
}

function toEgressConfig(all: EnvironmentSettings, connection: DatabaseConnection): Config['egress'] {
  return {
    privateTargetAllowlist: new Set(all.PRIVATE_TARGET_ALLOWLIST),
    privateTargetAccess: all.PRIVATE_TARGET_ACCESS,
    adminEmail: all.ADMIN_EMAIL?.toLowerCase() ?? null,
    callbackPrivateHosts: new Set(all.CALLBACK_PRIVATE_HOSTS),
    channelPrivateHosts: new Set(all.PRIVATE_CHANNEL_ALLOWLIST),
    ownTargets: ownTargets(all, connection),
    timeouts: EGRESS_TIMEOUTS,
  };
}

function toAgentsConfig(all: EnvironmentSettings): Config['agents'] {
  return {
    bodyMaxBytes: all.BODY_MAX_BYTES,
    streamMaxBytes: all.STREAM_MAX_BYTES,
    streamMaxSeconds: all.STREAM_MAX_SECONDS,
    maxInFlight: all.AGENT_MAX_IN_FLIGHT,
    maxBufferedBytes: all.AGENT_MAX_BUFFERED_MB * MIB,
    maxPending: all.AGENT_MAX_PENDING,
    maxHeldBytes: all.AGENT_MAX_HELD_MB * MIB,
    maxStoredBytes: all.AGENT_MAX_STORED_MB * MIB,
  };
}

function toOidcSettings(all: EnvironmentSettings): OidcSettings | null {
  if (all.OIDC_ISSUER === undefined) return null;
  return {
    issuer: all.OIDC_ISSUER,
    clientId: all.OIDC_CLIENT_ID!,
    clientSecret: all.OIDC_CLIENT_SECRET!,
    name: all.OIDC_NAME,
    scopes: all.OIDC_SCOPES,
    allowedDomains: all.OIDC_ALLOWED_DOMAINS,
    roles:
      all.OIDC_ROLES_CLAIM === undefined || all.OIDC_ROLE_MAP === undefined
        ? null
        : { claim: all.OIDC_ROLES_CLAIM, map: all.OIDC_ROLE_MAP },
  };
}

const DEFAULT_PORTS: Record<string, string> = {
  'http:': '80',
  'https:': '443',
};

/** In the form that the allowlist uses: literal host and explicit port. */
function ownTargets(
  { PUBLIC_URL, HOST, PORT, METRICS_PORT, METRICS_HOST }: EnvironmentSettings,
  database: DatabaseConnection,
): ReadonlySet<string> {
  const own = (PUBLIC_URL === undefined ? [] : [new URL(PUBLIC_URL)]).map(
    ({ protocol, hostname, port }) => `${hostname}:${port || DEFAULT_PORTS[protocol]}`,
  );
  const servers = [database.host, database.address].flatMap((host) =>
    host === null || host.startsWith('/') ? [] : `${inUrl(host)}:${database.port}`,
  );
  const hosts = ['localhost', '127.0.0.1', '[::1]', inUrl(HOST), ...(METRICS_HOST ? [inUrl(METRICS_HOST)] : [])];
  const ports = METRICS_PORT === undefined ? [PORT] : [PORT, METRICS_PORT];
  const listening = ports.flatMap((port) => hosts.map((host) => `${host}:${port}`));
  return new Set([...own, ...servers, ...listening].map((entry) => entry.toLowerCase()));
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Every variable with its current value. */
function toSummary(given: Environment): Config['summary'] {
  return Object.entries(settings.shape).map(([name, setting]) => {
    const secret = isSecret(name);
    const fallback = setting instanceof z.ZodPrefault ? String(setting.def.defaultValue) : '';
    const value = secret ? (given[name] ? 'set' : 'unset') : withoutSecrets(given[name] ?? fallback);
    return { name, value, secret };
  });
}
