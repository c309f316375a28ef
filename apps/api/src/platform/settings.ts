/**
 * Every environment variable that the gateway reads: its rule, its default and whether it is secret. A message follows
 * the name of its variable and never contains a value. Depends only on the limits of the contracts.
 */
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import {
  PROXY_BODY_LARGEST_BYTES,
  PROXY_BODY_MAX_BYTES,
  STREAM_MAX_BYTES,
  STREAM_MAX_SECONDS,
} from '#contracts/limits';
import type { Role } from '#contracts/states';

const secret = { secret: true };
const PASSWORD_RULE = 'must have 12 to 128 characters';

const OIDC = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;

/** The order is the order of the faults and of the status page. */
export const settings = z
  .object({
    PORT: integer(0, 65_535).prefault('3000'),
    HOST: z.string().prefault('0.0.0.0'),
    PUBLIC_URL: publicUrl().optional(),
    TRUST_PROXY: trustProxy().prefault('false'),
    CORS_ORIGINS: list(isOrigin, 'must be a list of origins like https://dashboard.example.com').prefault(''),
    NODE_ENV: choice('development', 'production', 'test').prefault('development'),
    LOG_LEVEL: choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').prefault('info'),
    // load-config.ts reads it further: it can name files, and PG… variables complete it.
    DATABASE_URL: z.string().meta(secret),
    DATABASE_POOL_SIZE: integer(2, 1000).prefault('20'),
    DATABASE_MIGRATE: boolean().prefault('true'),
    JWT_SECRET: z.string().meta(secret),
    JWT_ACCESS_EXPIRY: seconds().prefault('15m'),
    JWT_REFRESH_EXPIRY: seconds().prefault('7d'),
    SESSION_MAX_DAYS: integer(1, 3650).prefault('30'),
    ALLOW_REGISTRATION: boolean().prefault('false'),
    PASSWORD_LOGIN: boolean().prefault('true'),
    OIDC_ISSUER: httpUrl().optional(),
    OIDC_CLIENT_ID: z.string().optional(),
    OIDC_CLIENT_SECRET: z.string().optional().meta(secret),
    OIDC_NAME: z.string().max(50, 'must have at most 50 characters').prefault('single sign-on'),
    OIDC_SCOPES: z
      .string()
      .refine((text) => text.split(' ').includes('openid'), { error: 'must contain openid' })
      .prefault('openid email profile'),
    OIDC_ALLOWED_DOMAINS: list(isDomain, 'must be a list of domains like example.com').prefault(''),
    OIDC_ROLES_CLAIM: z.string().optional(),
    OIDC_ROLE_MAP: roleMap().optional(),
    SETUP_TOKEN: z.string().optional().meta(secret),
    ADMIN_EMAIL: z
      .string()
      .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')
      .optional()
      .meta(secret),
    ADMIN_PASSWORD: z.string().min(12, PASSWORD_RULE).max(128, PASSWORD_RULE).optional().meta(secret),
    ENCRYPTION_SECRET: z.string().min(32, 'must have at least 32 characters').meta(secret),
    ENCRYPTION_SECRET_PREVIOUS: z.string().min(32, 'must have at least 32 characters').optional().meta(secret),
    // The salt is the same on all instances, so the default is a fixed text.
    ENCRYPTION_SALT: z.string().prefault('agent-gateway-credentials').meta(secret),
    LLM_BASE_URL: httpUrl(),
    LLM_API_KEY: z.string().meta(secret),
    LLM_MODEL: z.string().prefault('gpt-4o-mini'),
    LLM_TIMEOUT_MS: integer(1, 600_000).prefault('10000'),
    LLM_PROMPT_MAX_BYTES: integer(4096, 1_048_576).prefault('32768'),
    RISK_THRESHOLD: fraction().prefault('0.5'),
    RISK_CACHE_SECONDS: integer(0, 86_400).prefault('60'),
    RISK_ASSESS_HELD: boolean().prefault('true'),
    APPROVAL_PENDING_TTL_HOURS: integer(1, 8760).prefault('24'),
    APPROVAL_EXECUTE_TTL_HOURS: integer(1, 8760).prefault('1'),
    DENIAL_HOLDS_HOURS: integer(0, 8760).prefault('24'),
    PRIVATE_TARGET_ALLOWLIST: list(isHostAndPort, 'must be a list of host:port').prefault(''),
    PRIVATE_TARGET_ACCESS: choice('admins', 'all').prefault('admins'),
    CALLBACK_PRIVATE_HOSTS: list(isHostAndPort, 'must be a list of host:port').prefault(''),
    PRIVATE_CHANNEL_ALLOWLIST: list(isHostAndPort, 'must be a list of host:port').prefault(''),
    SMTP_URL: z
      .url({ protocol: /^smtps?$/, error: 'must be a URL like smtp://user:password@mail.example.com:587' })
      .optional()
      .meta(secret),
    MAIL_FROM: z
      .string()
      .regex(
        /^([^<>\p{Cc}]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/u,
        'must be an e-mail address, or Name <address>',
      )
      .optional(),
    BODY_MAX_BYTES: integer(1, PROXY_BODY_LARGEST_BYTES).prefault(String(PROXY_BODY_MAX_BYTES)),
    STREAM_MAX_BYTES: integer(1, 999_999_999_999).prefault(String(STREAM_MAX_BYTES)),
    STREAM_MAX_SECONDS: integer(1, 86_400).prefault(String(STREAM_MAX_SECONDS)),
    METRICS_TOKEN: z
      .string()
      .min(16, 'must have at least 16 characters')
      .regex(/^\S+$/, 'must have no spaces')
      .optional()
      .meta(secret),
    METRICS_PORT: integer(0, 65_535).optional(),
    METRICS_HOST: z.string().optional(),
    METRICS_DETAIL: choice('agents').optional(),
    AUDIT_RETENTION_DAYS: integer(0, 36_500).prefault('0'),
    AGENT_MAX_IN_FLIGHT: integer(1, 100_000).prefault('256'),
    AGENT_MAX_BUFFERED_MB: integer(1, 100_000).prefault('128'),
    AGENT_MAX_PENDING: integer(1, 10_000_000).prefault('20000'),
    AGENT_MAX_HELD_MB: integer(1, 10_000_000).prefault('512'),
    AGENT_MAX_STORED_MB: integer(1, 10_000_000).prefault('1024'),
  })
  // An account without a password would close the first registration, and no one could log in.
  .refine((all) => (all.ADMIN_EMAIL === undefined) === (all.ADMIN_PASSWORD === undefined), {
    path: ['ADMIN_EMAIL'],
    error: 'and ADMIN_PASSWORD must be set together',
    // Otherwise zod leaves this rule out when another one fails.
    when: () => true,
  })
  .refine((all) => all.METRICS_PORT === undefined || all.METRICS_PORT === 0 || all.METRICS_PORT !== all.PORT, {
    path: ['METRICS_PORT'],
    error: 'must be another port than PORT',
    when: () => true,
  })
  .refine((all) => (all.SMTP_URL === undefined) === (all.MAIL_FROM === undefined), {
    path: ['SMTP_URL'],
    error: 'and MAIL_FROM must be set together',
    when: () => true,
  })
  .refine((all) => new Set(OIDC.map((name) => all[name] === undefined)).size === 1, {
    path: ['OIDC_ISSUER'],
    error: 'must be set together with OIDC_CLIENT_ID and OIDC_CLIENT_SECRET',
    when: () => true,
  })
  .refine((all) => all.OIDC_ISSUER === undefined || all.PUBLIC_URL !== undefined, {
    path: ['OIDC_ISSUER'],
    error: 'requires PUBLIC_URL: the provider sends browsers back to it',
    when: () => true,
  })
  .refine((all) => (all.OIDC_ROLES_CLAIM === undefined) === (all.OIDC_ROLE_MAP === undefined), {
    path: ['OIDC_ROLES_CLAIM'],
    error: 'and OIDC_ROLE_MAP must be set together',
    when: () => true,
  })
  .refine((all) => all.OIDC_ROLES_CLAIM === undefined || all.OIDC_ISSUER !== undefined, {
    path: ['OIDC_ROLES_CLAIM'],
    error: 'requires OIDC_ISSUER',
    when: () => true,
  })
  .refine((all) => all.PASSWORD_LOGIN !== false || all.OIDC_ISSUER !== undefined, {
    path: ['PASSWORD_LOGIN'],
    error: 'can be false only with OIDC_ISSUER: nobody could log in otherwise',
    when: () => true,
  });

const { DATABASE_URL, ENCRYPTION_SECRET, ENCRYPTION_SECRET_PREVIOUS, ENCRYPTION_SALT } = settings.shape;
/** The settings of a program that only changes rows. */
export const databaseSettings = z.object({ DATABASE_URL });
/** The settings that decide how stored values are encrypted, and where they are. */
export const encryptionSettings = z.object({
  DATABASE_URL,
  ENCRYPTION_SECRET,
  ENCRYPTION_SECRET_PREVIOUS,
  ENCRYPTION_SALT,
});

function integer(min: number, max: number) {
  return z
    .string()
    .refine((text) => /^\d{1,12}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be an integer from ${min} to ${max}`,
    })
    .transform(Number);
}

function fraction() {
  return z
    .string()
    .refine((text) => /^\d*\.?\d+$/.test(text) && Number(text) <= 1, { error: 'must be a number from 0.0 to 1.0' })
    .transform(Number);
}

function choice<const T extends string>(...allowed: T[]) {
  return z.enum(allowed, `must be one of ${allowed.join(', ')}`);
}

function boolean() {
  return choice('true', 'false').transform((value) => value === 'true');
}

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

function seconds() {
  return z
    .string()
    .regex(/^[1-9]\d{0,8}[smhd]$/, 'must be a number with a unit s, m, h or d, like 15m')
    .transform((text) => Number(text.slice(0, -1)) * UNIT_SECONDS[text.slice(-1)]);
}

/** The entries are converted to lower case. */
function list(isValid: (entry: string) => boolean, error: string) {
  return z
    .string()
    .transform((text) =>
      text
        .toLowerCase()
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    )
    .refine((entries) => entries.every(isValid), { error });
}

/** The provider's groups never make a person an owner. A group may contain `=`, as distinguished names do. */
function roleMap() {
  return z
    .string()
    .transform((text) => text.split(',').map((entry) => /^\s*(.+?)\s*=\s*(auditor|approver|admin)\s*$/.exec(entry)))
    .refine((entries) => entries.every((entry) => entry !== null), {
      error: 'must be a list of group=role; a role is auditor, approver or admin',
    })
    .transform((entries) => new Map(entries.map((entry) => [entry![1], entry![2] as Role])));
}

function httpUrl() {
  return z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
}

/** In the one spelling that browsers use: lower case, ASCII, without the default port. */
function publicUrl() {
  return httpUrl()
    .transform((text) => new URL(text))
    .refine((url) => url.href === `${url.origin}/`, {
      error:
        'must have no path, query or password: the gateway needs a host of its own, like https://gateway.example.com',
    })
    .transform(({ origin }) => origin);
}

function isOrigin(entry: string): boolean {
  try {
    return new URL(entry).origin === entry;
  } catch {
    return false;
  }
}

function isDomain(entry: string): boolean {
  return /^([a-z0-9-]+\.)*[a-z0-9-]+$/.test(entry);
}

function isHostAndPort(entry: string): boolean {
  return (
    /^([a-z0-9._-]+|\[[0-9a-f:.]+\]):\d{1,5}$/.test(entry) && Number(entry.slice(entry.lastIndexOf(':') + 1)) <= 65_535
  );
}

/**
 * The values of Express's setting "trust proxy". Express would throw an error that quotes an address that it can't read.
 */
function trustProxy() {
  const isFlag = (text: string): boolean => text === 'true' || text === 'false';
  const isHops = (text: string): boolean => /^\d{1,3}$/.test(text);
  return z
    .string()
    .refine((text) => isFlag(text) || isHops(text) || text.split(',').every((name) => isProxy(name.trim())), {
      error: 'must be true, false, a number of hops, or addresses',
    })
    .transform((text) => (isFlag(text) ? text === 'true' : isHops(text) ? Number(text) : text));
}

function isProxy(name: string): boolean {
  const [address, bits] = name.split('/');
  if (bits !== undefined) return isAddress(address) && ipaddr.isValidCIDR(name) && Number(bits) > 0;
  return ['loopback', 'linklocal', 'uniquelocal'].includes(name) || isAddress(name);
}

/** Express does not read `127.1`, nor an IPv4 address in IPv6 such as `64:ff9b::1.2.3.4`. ipaddr.js does. */
function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || (ipaddr.IPv6.isValid(text) && !text.includes('.'));
}
