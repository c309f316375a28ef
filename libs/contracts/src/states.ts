/**
 * Enumerations, and the transition table of actions as data (docs/reference/states.md#actions). This file imports
 * nothing.
 */

export const HTTP_METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/** The heuristic risk score of each method (docs/reference/risk.md#heuristic). */
export const METHOD_RISK: Readonly<Record<HttpMethod, number>> = {
  GET: 0.1,
  HEAD: 0.05,
  OPTIONS: 0.05,
  POST: 0.3,
  PATCH: 0.4,
  PUT: 0.5,
  DELETE: 0.7,
};

/**
 * From the least to the most: each role may do everything that the one before may (docs/reference/workspaces.md#roles).
 */
export const ROLES = ['auditor', 'approver', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Whether a role is at least another one. */
export const isAtLeast = (role: Role, least: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least);

export const AUTH_TYPES = ['api_key', 'bearer', 'basic', 'oauth2', 'custom', 'none'] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

/** Where the gateway rewrites a service's links to its own base URL: in headers only, or in JSON bodies too. */
/** How a request body with a `Content-Encoding` is sent: without it, or as it came. */
export const REQUEST_CODINGS = ['decode', 'keep'] as const;
export type RequestCodings = (typeof REQUEST_CODINGS)[number];

export const REWRITE_LINKS = ['headers', 'bodies'] as const;
export type RewriteLinks = (typeof REWRITE_LINKS)[number];

/** Whether POST and PATCH through a base URL need an idempotency key. */
export const BASE_URL_IDEMPOTENCIES = ['required', 'none'] as const;
export type BaseUrlIdempotency = (typeof BASE_URL_IDEMPOTENCIES)[number];

/**
 * The credential names that each auth type needs. With `api_key`, any header name works in place of `api_key`. With
 * `custom`, the templates name them.
 */
export const REQUIRED_CREDENTIALS: Record<AuthType, readonly string[]> = {
  api_key: ['api_key'],
  bearer: ['token'],
  basic: ['username', 'password'],
  oauth2: ['access_token'],
  custom: [],
  none: [],
};

export const OAUTH_GRANTS = ['authorization_code', 'client_credentials'] as const;
export type OAuthGrant = (typeof OAUTH_GRANTS)[number];

/** How a client authenticates at the token endpoint: HTTP Basic, or in the body. */
export const TOKEN_AUTHS = ['basic', 'post'] as const;
export type TokenAuth = (typeof TOKEN_AUTHS)[number];

/** How a sign-in proves that the code is used by who asked for it (RFC 7636). */
export const PKCE_METHODS = ['S256', 'none'] as const;
export type PkceMethod = (typeof PKCE_METHODS)[number];

/**
 * `connected`: the token is valid. `expired`: the gateway gets a new one with the next request. `reconnect`: only a
 * person can get a new one. `none`: nobody has connected it yet.
 */
export const CONNECTION_STATES = ['connected', 'expired', 'reconnect', 'none'] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

export const ACTION_STATUSES = ['PENDING', 'APPROVED', 'DENIED', 'EXPIRED', 'EXECUTED'] as const;
export type ActionStatus = (typeof ACTION_STATUSES)[number];

/** The statuses that an action can move to from each status. A status without any is terminal. */
export const ACTION_TRANSITIONS: Record<ActionStatus, readonly ActionStatus[]> = {
  PENDING: ['APPROVED', 'DENIED', 'EXPIRED'],
  // A withdrawal moves it to DENIED. Undo moves it back to PENDING.
  APPROVED: ['EXECUTED', 'EXPIRED', 'DENIED', 'PENDING'],
  DENIED: [],
  EXPIRED: [],
  EXECUTED: [],
};

export const DOCUMENT_TYPES = ['openapi', 'markdown', 'text', 'mcp'] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/**
 * Strongest first: the first effect with a matching rule decides (docs/reference/risk.md#order). `limit` decides only
 * while it is used up (docs/reference/limits.md). `guidance` only instructs the model.
 */
export const RULE_EFFECTS = ['deny', 'limit', 'require_approval', 'allow', 'guidance'] as const;
export type RuleEffect = (typeof RULE_EFFECTS)[number];

/** The windows of limits, each with its length in seconds. They begin at full minutes, hours and days in UTC. */
export const LIMIT_WINDOW_SECONDS = { minute: 60, hour: 3600, day: 86_400 } as const;
export type LimitWindow = keyof typeof LIMIT_WINDOW_SECONDS;
export const LIMIT_WINDOWS = ['minute', 'hour', 'day'] as const satisfies readonly LimitWindow[];

/** What happens to a request that does not fit into a limit. */
export const LIMIT_THENS = ['deny', 'require_approval'] as const;
export type LimitThen = (typeof LIMIT_THENS)[number];

/** Whether an exception, made from an approval, can lift a rule that asks. `none`: nothing remembered weakens it. */
export const RULE_EXCEPTIONS = ['temporary', 'none'] as const;
export type RuleExceptions = (typeof RULE_EXCEPTIONS)[number];

/** An observed rule decides nothing. Records say what it would have done. */
export const RULE_MODES = ['enforce', 'observe'] as const;
export type RuleMode = (typeof RULE_MODES)[number];

/**
 * What the model says about a held request. `pending`: it is asked in the background · `done`: it has answered · `failed`:
 * it gave no verdict · `off`: it is not asked (docs/reference/risk.md#assessment).
 */
export const ASSESSMENT_STATES = ['pending', 'done', 'failed', 'off'] as const;
export type AssessmentState = (typeof ASSESSMENT_STATES)[number];

/** Where a risk verdict came from. `effect`: the service asks about something that the request does (`askFor`). */
export const RISK_SOURCES = ['rule', 'effect', 'model', 'cache', 'model_failure', 'model_timeout'] as const;
export type RiskSource = (typeof RISK_SOURCES)[number];

/**
 * `request`: POST /proxy · `execution`: POST /proxy/execute · `change`: a dashboard change · `access`: logins and
 * similar events.
 */
export const AUDIT_KINDS = ['request', 'execution', 'change', 'access'] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

/**
 * How a request ended for the agent. `replayed`: answered from an idempotency record, nothing sent;
 * `previewed`: a dry run, nothing sent; `abandoned`: the gateway stopped before it sent anything.
 */
export const AUDIT_OUTCOMES = [
  'forwarded',
  'executed',
  'held',
  'refused',
  'replayed',
  'previewed',
  'abandoned',
  'changed',
  'denied',
] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

export const EVENT_TYPES = [
  'action.created',
  'action.updated',
  'approvers.missing',
  'agent.updated',
  'service.updated',
  'callback.updated',
  'channel.updated',
  'session.revoked',
  'token.revoked',
  'member.updated',
  'member.removed',
  'workspace.updated',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/**
 * The events that callbacks report: each status that an action can move to, and a manual test. `action.pending`: an
 * approval was taken back, so there is no decision yet.
 */
export const CALLBACK_EVENT_TYPES = [
  'action.approved',
  'action.pending',
  'action.denied',
  'action.expired',
  'action.executed',
  'callback.test',
] as const;
export type CallbackEventType = (typeof CALLBACK_EVENT_TYPES)[number];

/** `pending`: not delivered yet, possibly after failed attempts · `failed`: no further attempts. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** `pending`: not delivered yet, possibly after failed attempts. */
export const INVITATION_MAIL_STATES = ['pending', 'delivered', 'failed'] as const;
export type InvitationMailState = (typeof INVITATION_MAIL_STATES)[number];

/** The dashboard's words for risk, with the lowest score of each. Highest first. */
export const RISK_BANDS = [
  { word: 'critical', from: 0.8 },
  { word: 'high', from: 0.6 },
  { word: 'medium', from: 0.3 },
  { word: 'low', from: 0 },
] as const;
export type RiskWord = (typeof RISK_BANDS)[number]['word'];
