/** Closed sets of words, and the action's transition table as data (spec "States and transitions"). This file imports nothing. */

export const HTTP_METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/** The heuristic: the risk score of a method alone (contract 8). */
export const METHOD_RISK: Readonly<Record<HttpMethod, number>> = {
  GET: 0.1,
  HEAD: 0.05,
  OPTIONS: 0.05,
  POST: 0.3,
  PATCH: 0.4,
  PUT: 0.5,
  DELETE: 0.7,
};

export const AUTH_TYPES = ['api_key', 'bearer', 'basic', 'oauth2'] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

/** Where links of a service are rewritten to its base URL on the gateway: in headers only, or in JSON bodies too. */
export const REWRITE_LINKS = ['headers', 'bodies'] as const;
export type RewriteLinks = (typeof REWRITE_LINKS)[number];

/** Whether POST and PATCH through a base URL need an idempotency key. */
export const BASE_URL_IDEMPOTENCIES = ['required', 'none'] as const;
export type BaseUrlIdempotency = (typeof BASE_URL_IDEMPOTENCIES)[number];

/** The credential names that each auth type reads. `api_key` works with any header names, so that one is enough. */
export const REQUIRED_CREDENTIALS: Record<AuthType, readonly string[]> = {
  api_key: ['api_key'],
  bearer: ['token'],
  basic: ['username', 'password'],
  oauth2: ['access_token'],
};

export const ACTION_STATUSES = ['PENDING', 'APPROVED', 'DENIED', 'EXPIRED', 'EXECUTED'] as const;
export type ActionStatus = (typeof ACTION_STATUSES)[number];

/** From each status, the statuses an action may move to. A status without any is terminal. */
export const ACTION_TRANSITIONS: Record<ActionStatus, readonly ActionStatus[]> = {
  PENDING: ['APPROVED', 'DENIED', 'EXPIRED'],
  // To DENIED by a withdrawal.
  APPROVED: ['EXECUTED', 'EXPIRED', 'DENIED'],
  DENIED: [],
  EXPIRED: [],
  EXECUTED: [],
};

export const isTerminal = (status: ActionStatus): boolean => ACTION_TRANSITIONS[status].length === 0;

export const DOCUMENT_TYPES = ['openapi', 'markdown', 'text'] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/** In order of force: the first that holds decides (contract 3); `guidance` only speaks to the model. */
export const RULE_EFFECTS = ['deny', 'require_approval', 'allow', 'guidance'] as const;
export type RuleEffect = (typeof RULE_EFFECTS)[number];

/** Where a risk verdict came from. */
export const RISK_SOURCES = ['rule', 'model', 'cache', 'model_failure', 'model_timeout'] as const;
export type RiskSource = (typeof RISK_SOURCES)[number];

/** `request`: POST /proxy · `execution`: POST /proxy/execute · `change`: a dashboard change · `access`: log-ins and the like. */
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
  'agent.updated',
  'service.updated',
  'callback.updated',
  'session.revoked',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** What a callback tells of: each status that an action can move to, and a test that somebody asked for. */
export const CALLBACK_EVENT_TYPES = [
  'action.approved',
  'action.denied',
  'action.expired',
  'action.executed',
  'callback.test',
] as const;
export type CallbackEventType = (typeof CALLBACK_EVENT_TYPES)[number];

/** `pending`: on its way, perhaps after failed attempts · `failed`: given up. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Risk in words (dashboard): the score from which each word holds, highest first. */
export const RISK_BANDS = [
  { word: 'critical', from: 0.8 },
  { word: 'high', from: 0.6 },
  { word: 'medium', from: 0.3 },
  { word: 'low', from: 0 },
] as const;
export type RiskWord = (typeof RISK_BANDS)[number]['word'];
