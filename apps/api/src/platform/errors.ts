/**
 * The errors that a caller can get, with status and text together, in the order of the specification's table. Texts are
 * part of the interface: tests quote them. What only we may know goes into `cause`, which the log alone sees.
 */
export class ApiError extends Error {
  constructor(
    readonly statusCode: number,
    message: string,
    options: { cause?: unknown; headers?: Record<string, string> } = {},
  ) {
    super(message, { cause: options.cause });
    this.headers = options.headers ?? {};
  }

  readonly headers: Record<string, string>;
}

const error = (status: number, message: string) => (): ApiError => new ApiError(status, message);

export const errors = {
  // 400
  invalid: (message: string) => new ApiError(400, message),
  invalidJson: error(400, 'Invalid JSON in request body'),
  notAnObject: error(400, 'Request body must be a JSON object'),
  idempotencyKeyRequired: error(400, 'idempotencyKey is required for POST and PATCH requests'),
  onlyHttp: error(400, 'Only HTTP and HTTPS protocols are allowed'),
  bodyNotAllowed: (method: string) => new ApiError(400, `body: must not be present on ${method} requests`),
  invalidId: (name: string) => new ApiError(400, `${name}: must be an integer from 1 to 2147483647`),

  // 401
  missingAuthorization: error(401, 'Missing authorization header'),
  invalidAuthorization: error(401, 'Invalid authorization header format'),
  missingToken: error(401, 'Missing token'),
  invalidToken: error(401, 'Invalid or expired token'),
  invalidCredentials: error(401, 'Invalid credentials'),
  missingAgentKey: error(401, 'Missing Agent-Key header'),
  malformedAgentKey: error(401, 'Invalid Agent-Key format'),
  unknownAgentKey: error(401, 'Invalid Agent-Key'),
  revokedAgentKey: error(401, 'Agent key has been revoked'),

  // 403
  forbidden: (message: string) => new ApiError(403, message),
  noAccessToService: error(403, 'Agent does not have access to this service'),
  deniedByRule: (rule: string) => new ApiError(403, `Denied by risk rule "${rule}"`),
  registrationClosed: error(403, 'Registration is closed'),
  wrongSetupToken: error(403, 'Setup token is missing or wrong'),

  // 404
  noServiceForTarget: error(404, 'No service found matching target URL or agent does not have access'),
  serviceNotFound: error(404, 'Service not found'),
  resourceNotFound: error(404, 'Resource not found'),
  documentNotFound: error(404, 'Document not found'),
  ruleNotFound: error(404, 'Risk rule not found'),
  sessionNotFound: error(404, 'Session not found'),
  recordNotFound: error(404, 'Audit record not found'),
  actionNotFound: error(404, 'Action not found'),
  callbackNotFound: error(404, 'Callback not found'),
  deliveryNotFound: error(404, 'Delivery not found'),
  unknownPath: (method: string, path: string) => new ApiError(404, `Cannot ${method} ${path}`),

  // 409
  keyInUse: error(409, 'Request with this idempotency key is already being processed'),
  cannotExecute: (status: string) => new ApiError(409, `Cannot execute action with status ${status}`),
  requestGivenUp: error(409, 'The request took too long and was given up; nothing was sent. Send it again'),
  alreadyDecided: (status: string) => new ApiError(409, `Action is already ${status}`),
  callbackDisabled: error(409, 'Callback is disabled'),
  agentRevoked: error(409, 'Agent is revoked: nothing is sent'),
  callbackTestRunning: error(409, 'A test of this callback is already on its way'),
  emailTaken: error(409, 'An account with this e-mail already exists'),

  // 410
  approvalExpired: error(410, 'Approval has expired — resubmit request via POST /proxy'),
  serviceGone: error(410, 'Service no longer exists'),

  // 413, 415, 422, 429
  bodyTooLarge: (limitMb: number) => new ApiError(413, `Request body exceeds ${limitMb}MB limit`),
  responseTooLarge: error(413, 'Response size exceeds 10MB limit'),
  unsupportedMediaType: error(415, 'Content-Type must be application/json'),
  keyReused: error(422, 'Idempotency key was already used with a different request'),
  tooManyLogins: (retryAfterSeconds: number) =>
    new ApiError(429, 'Too many failed logins. Try again later.', {
      headers: { 'Retry-After': String(retryAfterSeconds) },
    }),

  // 500
  noCredentials: error(500, 'No credentials found for service'),
  undecryptable: (cause: unknown) => new ApiError(500, 'Failed to decrypt credentials', { cause }),
  unsupportedAuthType: (type: string) => new ApiError(500, `Unsupported authentication type: ${type}`),
  unknownActionStatus: (status: string) => new ApiError(500, `Unknown action status: ${status}`),
  unexpected: (cause: unknown) => new ApiError(500, 'Internal server error', { cause }),

  // 502, 503, 504
  forwardFailed: (host: string, reason: string) => new ApiError(502, `Failed to forward request to ${host}: ${reason}`),
  databaseAway: (cause?: unknown) =>
    new ApiError(503, 'Database connection failed', { cause, headers: { 'Retry-After': '5' } }),
  configurationBusy: () =>
    new ApiError(503, 'The configuration is changing; try again', { headers: { 'Retry-After': '1' } }),
  shuttingDown: () =>
    new ApiError(503, 'The gateway is shutting down', { headers: { 'Retry-After': '5', Connection: 'close' } }),
  upstreamTimeout: error(504, 'Request timeout (30s limit exceeded)'),
};
