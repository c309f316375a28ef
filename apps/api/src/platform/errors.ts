import type { ErrorBody } from '#contracts';
import type { ErrorCode } from '#contracts/error-codes';
import {
  CHANNEL_TESTS_PER_MINUTE_MAX,
  EVENT_STREAMS_MAX,
  POLL_INTERVAL_SECONDS,
  UPSTREAM_RESPONSE_MAX_BYTES,
  UPSTREAM_TIMEOUT_MS,
} from '#contracts/limits';

const MIB = 1024 * 1024;

/**
 * The errors that a caller can get, each with code, status and text, sorted by status. Texts and codes are part of the
 * interface: tests quote them. Internal details go into `cause`, which appears only in the log.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly headers: Record<string, string>;
  readonly next: string | undefined;

  /** @param options `code`: needed if the status alone is not specific enough; `next`: what to do, if the text can't say it */
  constructor(
    readonly statusCode: number,
    message: string,
    options: { code?: ErrorCode; cause?: unknown; headers?: Record<string, string>; next?: string } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = options.code ?? defaultCode(statusCode);
    this.headers = options.headers ?? {};
    this.next = options.next;
  }
}

/** The body that every error response has. */
export function errorBody({ message: error, statusCode, next }: ApiError): ErrorBody {
  return { error, statusCode, ...(next === undefined ? {} : { next }) };
}

/**
 * The body with its text where SDKs look for it. Those that take a text in `error` for a code of OAuth, as Stripe's
 * does, read `error_description`.
 */
export const forSdks = <T extends { error: string }>(body: T) => ({
  ...body,
  message: body.error,
  error_description: body.error,
});

const BY_STATUS: Record<number, ErrorCode> = {
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  406: 'not_acceptable',
  408: 'request_timeout',
  409: 'conflict',
  413: 'body_too_large',
  415: 'media_type_unsupported',
  417: 'expectation_failed',
  429: 'too_many_requests',
  431: 'headers_too_large',
  503: 'gateway_busy',
};

/** The code of an error that is not in the catalogue, for example one of the framework. */
const defaultCode = (status: number): ErrorCode =>
  BY_STATUS[status] ?? (status < 500 ? 'invalid_request' : 'internal_error');

const error = (status: number, message: string, code?: ErrorCode, headers?: Record<string, string>) => (): ApiError =>
  new ApiError(status, message, { code, headers });

/** Short, for when the caller waits for a request in progress. */
const SOON = { 'Retry-After': '2' };

/** Long, for when the caller waits for a human decision or for something to expire. */
const LATER = { 'Retry-After': '60' };

const IN_PROGRESS: { code: ErrorCode; headers?: Record<string, string> } = {
  code: 'execution_in_progress',
  headers: SOON,
};
const WHY_NOT_EXECUTED: Record<string, typeof IN_PROGRESS> = {
  PENDING: { code: 'action_pending', headers: { 'Retry-After': String(POLL_INTERVAL_SECONDS) } },
  DENIED: { code: 'approval_denied' },
  EXPIRED: { code: 'action_expired' },
  EXECUTED: { code: 'action_executed' },
};

export const errors = {
  // 400
  invalid: (message: string) => new ApiError(400, message),
  invalidJson: (where: string) =>
    new ApiError(400, 'Invalid JSON in request body', { code: 'invalid_json', next: `Fix the JSON: ${where}` }),
  invalidYaml: (where: string) =>
    new ApiError(400, 'Invalid YAML in request body', { code: 'invalid_yaml', next: `Fix the YAML: ${where}` }),
  notAnObject: error(400, 'Request body must be a JSON object', 'invalid_json'),
  idempotencyKeyRequired: error(
    400,
    'idempotencyKey is required for POST and PATCH requests',
    'idempotency_key_required',
  ),
  baseUrlKeyRequired: (method: string) =>
    new ApiError(
      400,
      `${method} needs an Idempotency-Key header, or \`;idempotency=none\` after the service name in the base URL`,
      { code: 'idempotency_key_required' },
    ),
  ambiguousServiceName: error(
    400,
    '/s/<service>: several of your services have this name; ask for all but one to be renamed',
    'invalid_request',
  ),
  agentKeyExposed: (where: string) =>
    new ApiError(
      400,
      `${where}: must not contain an agent key, because others could read it there; send the key in the header Agent-Key`,
      { code: 'agent_key_exposed' },
    ),
  onlyHttp: error(400, 'Only HTTP and HTTPS protocols are allowed', 'scheme_not_allowed'),
  bodyNotAllowed: (method: string) =>
    new ApiError(400, `body: must not be present on ${method} requests`, { code: 'body_not_allowed' }),
  publicUrlMissing: error(400, 'Set PUBLIC_URL first: the provider sends the browser back to it'),
  otherHost: (publicUrl: string) =>
    new ApiError(400, `Open the dashboard at ${publicUrl} first: the provider sends the browser back there`),
  nothingToConnect: error(400, 'Only a service with oauth and the grant authorization_code is connected by a person'),
  signInUnknown: error(400, 'This sign-in is unknown, has expired or was used already: connect the service again'),
  invalidId: (name: string) => new ApiError(400, `${name}: must be an integer from 1 to 2147483647`),

  passkeyExpired: error(400, 'This took too long, was used already, or began in another browser: try again'),
  passkeyInvalid: (cause?: unknown) =>
    new ApiError(400, 'The passkey can’t be added: the answer of the device is not valid', { cause }),

  // 401
  missingAuthorization: error(401, 'Missing authorization header', 'authorization_missing'),
  invalidAuthorization: error(401, 'Invalid authorization header format', 'authorization_malformed'),
  missingToken: error(401, 'Missing token', 'authorization_malformed'),
  invalidToken: error(401, 'Invalid or expired token', 'token_invalid'),
  invalidCredentials: error(401, 'Invalid credentials', 'credentials_wrong'),
  passkeyRefused: error(401, 'Passkey not accepted', 'credentials_wrong'),
  notFromSlack: error(
    401,
    'The signature of Slack is missing, wrong, too old, or was used already',
    'signature_invalid',
  ),
  /** For a person who is logged in. A 401 would make the dashboard refresh its token. */
  passkeyNotConfirmed: error(403, 'Passkey not accepted'),
  missingAgentKey: error(401, 'Missing Agent-Key header', 'agent_key_missing'),
  malformedAgentKey: error(401, 'Invalid Agent-Key format', 'agent_key_malformed'),
  unknownAgentKey: error(401, 'Invalid Agent-Key', 'agent_key_unknown'),
  revokedAgentKey: error(401, 'Agent key has been revoked', 'agent_key_revoked'),
  expiredAgentKey: error(401, 'Agent key has expired', 'agent_key_expired'),

  // 403
  forbidden: (message: string) => new ApiError(403, message),
  outsideService: (message: string) => new ApiError(403, message, { code: 'target_outside_service' }),
  ambiguousService: error(
    403,
    'targetUrl: could be read as a URL of several services; write its path without encoded, empty or dotted segments',
    'target_ambiguous',
  ),
  egressBlocked: (message: string) => new ApiError(403, message, { code: 'egress_blocked' }),
  callbackHostNotAllowed: (host: string) =>
    new ApiError(403, `Callbacks to ${host} are not allowed; ask the owner of this agent`, {
      code: 'callback_host_not_allowed',
    }),
  addressNotAllowed: (address: string) =>
    new ApiError(403, `This agent key may not be used from ${address}; ask the owner of this agent`, {
      code: 'address_not_allowed',
    }),
  noAccessToService: error(403, 'Agent does not have access to this service', 'service_forbidden'),
  paused: (reason: string) => new ApiError(403, `Paused: ${reason}`, { code: 'paused' }),
  deniedByRule: (rule: string) => new ApiError(403, `Denied by risk rule "${rule}"`, { code: 'rule_denied' }),
  pathNotCompared: error(
    403,
    'The path is too long to compare it with every rule of this service',
    'path_not_compared',
  ),
  deniedByApprover: (name: string | null, note: string | null) =>
    new ApiError(403, `Denied${name === null ? '' : ` by ${name}`}${note === null ? '' : `: ${note}`}`, {
      code: 'approval_denied',
    }),
  roleTooLow: (role: string) => new ApiError(403, `Your role (${role}) does not allow this`, { code: 'role_too_low' }),
  mayNotDecide: error(403, 'You may not decide this action', 'may_not_decide'),
  mayNotAllow: error(
    403,
    'You may not allow requests of an agent that you made, or whose working key you rotated',
    'may_not_decide',
  ),
  approverRuleTooLong: (hours: number) =>
    new ApiError(403, `expiresAt: approvers may allow requests for at most ${hours} hours; ask an admin for more`, {
      code: 'role_too_low',
    }),
  invitedOther: error(403, 'This invitation is for another e-mail', 'invitation_for_other'),
  noTokens: error(403, 'Personal access tokens are not allowed here: log in', 'token_not_allowed'),
  notAdministrator: error(403, 'Only installation administrators may do this', 'administrator_needed'),
  confirmationRequired: error(403, 'Confirm first that it is you', 'confirmation_required'),
  registrationClosed: error(403, 'Registration is closed', 'registration_closed'),
  passwordLoginOff: error(403, 'Logging in with a password is turned off', 'password_login_off'),
  passkeyLoginOff: error(403, 'Logging in with a passkey is turned off', 'password_login_off'),
  decideInDashboard: error(403, 'This request can be decided in the dashboard only'),
  slackNotLinked: error(403, 'Your Slack account is no longer linked: press the button again'),
  wrongSetupToken: error(403, 'Setup token is missing or wrong', 'setup_token_wrong'),

  // 404
  noServiceForTarget: error(
    404,
    'No service found matching target URL or agent does not have access',
    'service_unknown',
  ),
  serviceNotFound: error(404, 'Service not found'),
  resourceNotFound: error(404, 'Resource not found'),
  documentNotFound: error(404, 'Document not found'),
  ruleNotFound: error(404, 'Risk rule not found'),
  ruleVersionNotFound: error(404, 'Version of the risk rule not found'),
  invitationNotFound: error(404, 'Invitation not found'),
  identityNotFound: error(404, 'Sign-in not found'),
  openIdOff: error(404, 'Single sign-on is not set up'),
  passkeysOff: error(404, 'Passkeys need PUBLIC_URL: https, with a host name'),
  passkeyNotFound: error(404, 'Passkey not found'),
  sessionNotFound: error(404, 'Session not found'),
  recordNotFound: error(404, 'Audit record not found'),
  actionNotFound: error(404, 'Action not found', 'action_unknown'),
  callbackNotFound: error(404, 'Callback not found'),
  channelNotFound: error(404, 'Channel not found'),
  deliveryNotFound: error(404, 'Delivery not found'),
  slackLinkNotFound: error(404, 'Link not found'),
  unknownPath: (method: string, path: string) => new ApiError(404, `Cannot ${method} ${path}`),

  // 405
  methodNotAllowed: (method: string, allowed: string) =>
    new ApiError(405, `${method} is not allowed here; allowed are ${allowed}`, {
      headers: { Allow: allowed },
    }),

  // 409
  keyInUse: error(409, 'Request with this idempotency key is already being processed', 'idempotency_in_progress', SOON),
  answerNotKept: error(409, 'The answer was streamed and is not kept', 'answer_not_kept'),
  cannotExecute: (status: string) =>
    new ApiError(409, `Cannot execute action with status ${status}`, WHY_NOT_EXECUTED[status] ?? IN_PROGRESS),
  requestGivenUp: error(
    409,
    'The request took too long, and the gateway gave up before it sent anything. Send it again',
    'request_given_up',
  ),
  alreadyDecided: (status: string) => new ApiError(409, `Action is already ${status}`, { code: 'already_decided' }),
  alreadyApproved: error(409, 'You have already approved this action', 'already_approved'),
  actionBlocked: (reason: string) =>
    new ApiError(409, `${reason}: the action can't be approved`, { code: 'action_blocked' }),
  notWhatWasSeen: error(409, 'This action is not what you saw', 'action_changed'),
  notWhatWasApproved: () =>
    new ApiError(409, 'This action is not what was approved', {
      code: 'action_changed',
      next: 'The base URL of the service has changed since the approval. If the request is still wanted, send it again via POST /proxy with a new idempotency key.',
    }),
  cannotUndo: (reason: string) => new ApiError(409, `Cannot undo the approval: ${reason}`, { code: 'not_undoable' }),
  cannotWithdraw: (status: string) =>
    new ApiError(409, `Cannot withdraw action with status ${status}`, { code: 'not_withdrawable' }),
  noPreviousCredentials: error(
    409,
    'There is no previous set of credentials: none was kept, its time has ended, it was put back already, or the service authenticates in another way now',
  ),
  otherHostsWait: (hosts: string) =>
    new ApiError(
      409,
      hosts === '' ? 'No host waits for a confirmation' : `These hosts wait for a confirmation now: ${hosts}`,
    ),
  callbackDisabled: error(409, 'Callback is disabled'),
  agentRevoked: error(409, 'Agent is revoked: no callbacks are sent'),
  channelOff: error(409, 'The channel is switched off'),
  tooManyChannels: (most: number) => new ApiError(409, `There can be at most ${most} channels`),
  noChannelSecret: error(409, 'Only a webhook has a secret'),
  ruleIsSoAlready: (version: number) => new ApiError(409, `The risk rule is as in version ${version} already`),
  ruleVersionNamesDeleted: (version: number, agentIds: string) =>
    new ApiError(409, `Version ${version} names agents that were deleted: ${agentIds}`),
  callbackTestRunning: error(409, 'A test of this callback is already pending'),
  alreadyMember: error(409, 'This person is already a member', 'already_member'),
  administratorFixed: error(
    409,
    'The first account and that of ADMIN_EMAIL stay administrators',
    'administrator_fixed',
  ),
  importChanged: error(409, 'The import would do something else than its dry run', 'import_changed'),
  notPaused: error(409, 'The workspace is not paused', 'not_paused'),
  workspaceInUse: error(409, 'The workspace has services or agents: delete them first', 'workspace_in_use'),
  ownerNeeded: error(409, 'A workspace needs an owner', 'owner_needed'),
  passkeyTaken: error(409, 'This passkey was added already'),
  lastIdentity: error(409, 'This is the only way to log in to this account'),
  emailTaken: error(409, 'An account with this e-mail already exists', 'email_taken'),

  // 410
  approvalExpired: error(410, 'Approval has expired — resubmit request via POST /proxy', 'action_expired'),
  invitationGone: error(410, 'This invitation was used or has expired: ask for a new one', 'invitation_gone'),
  slackLinkGone: error(
    410,
    'This link was used, has expired, or is for another workspace: press the button in Slack again',
    'slack_link_gone',
  ),
  serviceGone: error(410, 'Service no longer exists', 'service_deleted'),

  // 413, 415, 422, 429
  bodyTooLarge: (limitMb: number) => new ApiError(413, `Request body exceeds ${limitMb}MB limit`),
  responseTooLarge: () =>
    new ApiError(413, `Response size exceeds ${UPSTREAM_RESPONSE_MAX_BYTES / MIB}MB limit`, {
      code: 'response_too_large',
      next: 'The upstream processed the request; only its response is lost. Do not send it again: request less data, for example page by page.',
    }),
  unsupportedMediaType: error(415, 'Content-Type must be application/json'),
  keyReused: error(422, 'Idempotency key was already used with a different request', 'idempotency_conflict'),
  tooManyLogins: (retryAfterSeconds: number) =>
    new ApiError(429, 'Too many failed logins. Try again later.', {
      headers: { 'Retry-After': String(retryAfterSeconds) },
    }),
  tooManyFailures: (retryAfterSeconds: number) =>
    new ApiError(429, 'Too many requests with a wrong signature. Try again later.', {
      headers: { 'Retry-After': String(retryAfterSeconds) },
    }),

  tooManyStreams: () =>
    new ApiError(
      429,
      `You follow live updates in ${EVENT_STREAMS_MAX} places already. Close a tab or end a program that follows them.`,
      { headers: LATER },
    ),
  tooManyBacktests: error(429, 'Too many backtests of yours are waiting. Try again later.', undefined, LATER),
  tooManyServiceTests: (max: number) =>
    new ApiError(429, `At most ${max} tests of yours can be in progress. Wait until one has ended.`, { headers: SOON }),
  tooManyTests: (retryAfterSeconds: number) =>
    new ApiError(429, `A channel sends at most ${CHANNEL_TESTS_PER_MINUTE_MAX} tests a minute. Try again later.`, {
      headers: { 'Retry-After': String(retryAfterSeconds) },
    }),

  limitReached: (rule: string, retryAfterSeconds: number, next: string) =>
    new ApiError(429, `Limit reached: ${rule}`, {
      code: 'limit_reached',
      headers: { 'Retry-After': String(retryAfterSeconds) },
      next,
    }),

  tooManyInFlight: (max: number) =>
    new ApiError(429, `Too many requests of this agent in progress: at most ${max}. Nothing was sent`, {
      code: 'too_many_in_flight',
      headers: SOON,
    }),
  tooMuchBuffered: () =>
    new ApiError(429, 'The requests of this agent and their responses are too large together. Nothing was sent', {
      code: 'too_much_buffered',
      headers: SOON,
    }),

  tooManyPending: (max: number) =>
    new ApiError(429, `Too many open actions of this agent: at most ${max}. Nothing was queued`, {
      code: 'too_many_pending',
      headers: LATER,
    }),
  tooMuchHeld: (maxBytes: number, whose: string) =>
    new ApiError(
      429,
      `The open actions of this ${whose} take too much space: at most ${Math.floor(maxBytes / (1024 * 1024))} MB. Nothing was queued`,
      { code: 'too_much_held', headers: LATER },
    ),
  tooMuchStored: () =>
    new ApiError(
      429,
      'The responses stored for the idempotency keys of this agent take too much space. Nothing was sent',
      {
        code: 'too_much_stored',
        headers: LATER,
      },
    ),

  // 500
  noCredentials: error(500, 'No credentials found for service', 'credentials_unusable'),
  undecryptable: (cause: unknown) =>
    new ApiError(500, 'Failed to decrypt credentials', { code: 'credentials_unusable', cause }),
  unsupportedAuthType: (type: string) =>
    new ApiError(500, `Unsupported authentication type: ${type}`, { code: 'credentials_unusable' }),
  unknownActionStatus: (status: string) => new ApiError(500, `Unknown action status: ${status}`),
  unexpected: (cause: unknown) => new ApiError(500, 'Internal server error', { cause }),

  // 502, 503, 504
  providerUnavailable: (cause: unknown) =>
    new ApiError(503, 'The provider of single sign-on does not respond; try again', {
      cause,
      headers: { 'Retry-After': '5' },
    }),
  notConnected: (service: string) => new ApiError(502, `Connect ${service} first`, { code: 'credentials_unusable' }),
  connectionExpired: (service: string) =>
    new ApiError(502, `The connection to ${service} has expired: reconnect it`, { code: 'credentials_unusable' }),
  connectionFailed: (service: string, reason: string) =>
    new ApiError(502, `The connection to ${service} could not be renewed: ${reason}`, { code: 'upstream_unreachable' }),
  certificateExpired: (service: string, on: string) =>
    new ApiError(502, `The client certificate of ${service} expired on ${on}: replace it`, {
      code: 'credentials_unusable',
    }),
  credentialsUnconfirmed: (service: string, hosts: string) =>
    new ApiError(502, `Confirm the credentials of ${service} for ${hosts}`, { code: 'credentials_unusable' }),
  forwardFailed: (host: string, reason: string, sent = true) =>
    new ApiError(502, `Failed to forward request to ${host}: ${reason}`, {
      code: sent ? 'outcome_unknown' : 'upstream_unreachable',
    }),
  databaseUnavailable: (cause?: unknown) =>
    new ApiError(503, 'Database connection failed', {
      code: 'database_unavailable',
      cause,
      headers: { 'Retry-After': '5' },
    }),
  schemaOutdated: () =>
    new ApiError(503, 'The schema of the database is older than this release', {
      code: 'database_unavailable',
      headers: { 'Retry-After': '5' },
    }),
  configurationBusy: () =>
    new ApiError(503, 'The configuration is changing; try again', { headers: { 'Retry-After': '1' } }),
  shuttingDown: () =>
    new ApiError(503, 'The gateway is shutting down', {
      code: 'shutting_down',
      headers: { 'Retry-After': '5', Connection: 'close' },
    }),
  upstreamTimeout: error(504, `Request timeout (${UPSTREAM_TIMEOUT_MS / 1000}s limit exceeded)`, 'upstream_timeout'),
};
