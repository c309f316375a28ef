/**
 * The values of the header `X-Error-Code`: a stable name for each error, for programs. Texts may change, codes don't.
 * This file imports nothing.
 */
export interface ErrorCodeEntry {
  /** The statuses that responses with this code have. */
  statuses: readonly number[];
  /** What the error means, and what to do. */
  meaning: string;
  /** Whether agents can get this code. If false, only the dashboard's endpoints return it. */
  forAgents: boolean;
}

const agent = (status: number | readonly number[], meaning: string): ErrorCodeEntry => ({
  statuses: [status].flat(),
  meaning,
  forAgents: true,
});
const people = (status: number | readonly number[], meaning: string): ErrorCodeEntry => ({
  ...agent(status, meaning),
  forAgents: false,
});

const entries = {
  invalid_request: agent(400, 'A field, header or path is missing or malformed; the text says which. Correct it.'),
  invalid_json: agent(400, 'The body is not a JSON object. Correct it.'),
  invalid_yaml: people(
    400,
    'The body is not valid YAML, or has YAML features that JSON lacks. `next` says where the fault is.',
  ),
  idempotency_key_required: agent(
    400,
    'POST and PATCH need an Idempotency-Key. Create one, and send the same key with every retry.',
  ),
  scheme_not_allowed: agent(400, 'The target URL must start with http or https. Correct it.'),
  body_not_allowed: agent(400, 'GET and HEAD requests cannot have a body. Remove it.'),

  agent_key_exposed: agent(
    400,
    'The request contains an agent key, which must not reach the service. Remove it; the gateway adds the real credentials.',
  ),

  agent_key_missing: agent(401, 'Send the agent key in the header Agent-Key.'),
  agent_key_malformed: agent(401, 'The value is not an agent key. Agent keys start with agt_. Stop; tell your user.'),
  agent_key_unknown: agent(401, 'This key belongs to no agent. Stop; tell your user.'),
  agent_key_revoked: agent(401, 'The agent was revoked. Stop; tell your user.'),
  agent_key_expired: agent(401, 'The agent key has expired. Stop; tell your user, who can rotate it.'),
  authorization_missing: people(401, 'Send the access token in the header Authorization, as "Bearer <token>".'),
  authorization_malformed: people(401, 'The header Authorization must have the form "Bearer <token>".'),
  signature_invalid: people(401, 'The signature of Slack is missing, wrong or too old, or was already used.'),
  token_invalid: people(401, 'The token is invalid or has expired. Refresh it, or log in.'),
  credentials_wrong: people(401, 'The e-mail or the password is wrong, or the passkey was not accepted.'),

  target_outside_service: agent(
    403,
    'The target is not below the base URL of the service. Stop; do not try another spelling.',
  ),
  target_ambiguous: agent(
    403,
    'Servers could read the path in different ways, as paths of different services. Write it without encoded, empty or dotted segments.',
  ),
  egress_blocked: agent(403, 'The target is a blocked address or resolves to one. Stop; tell your user.'),
  address_not_allowed: agent(
    403,
    'The agent key may be used only from certain addresses, and this client has another one. Stop; tell your user.',
  ),
  callback_host_not_allowed: agent(
    403,
    'Callbacks to this host are not allowed. Tell your user; the owner of the agent sees the host as a suggestion.',
  ),
  paused: agent(
    403,
    'A person paused this workspace or service; the text has the reason. Nothing was sent. Stop; tell your user, who can resume it.',
  ),
  path_not_compared: agent(
    403,
    "The path is so long and unusual that the gateway can't tell whether a rule denies it. Send a shorter path, without encoded characters where possible.",
  ),
  rule_denied: agent(403, "A rule of the service's team forbids this request. Stop; do not try another way."),
  service_forbidden: agent(403, 'The agent has no access to this service, or no longer has it. Stop; tell your user.'),
  forbidden: agent(403, 'Not allowed; the text says why.'),
  role_too_low: people(403, 'Your role in this workspace does not allow this. Ask an owner of the workspace.'),
  may_not_decide: people(
    403,
    'Rules name other people for this action, or you made the agent or rotated a key of it that still works. The action says who may approve it.',
  ),
  invitation_for_other: people(403, 'The invitation is for another e-mail. Use the account that was invited.'),
  token_not_allowed: people(403, 'Personal access tokens cannot do this. Log in.'),
  administrator_needed: people(403, 'Only administrators of the installation may do this.'),
  confirmation_required: people(
    403,
    'Confirm with your password or a passkey that it is you (POST /auth/confirm), then send the request again.',
  ),
  registration_closed: people(403, 'Registration is closed.'),
  password_login_off: people(403, 'People log in with single sign-on only. Use that.'),
  setup_token_wrong: people(403, 'The setup token is missing or wrong.'),
  approval_denied: agent(
    [403, 409],
    'A human denied the action. Stop; tell your user what the note says, if there is one.',
  ),

  service_unknown: agent(
    404,
    'None of your services matches. Compare the URL or name with GET /agent; ask your user for access.',
  ),
  action_unknown: agent(404, 'You have no action with this id. Use the action_id from a 428 that you received.'),
  not_found: agent(404, 'It does not exist, or it is not yours.'),

  method_not_allowed: agent(405, 'The path does not support this method.'),
  not_acceptable: agent(406, 'The Accept header excludes the content type of this endpoint.'),
  request_timeout: agent(408, 'The request did not arrive in time. Send it again.'),

  idempotency_in_progress: agent(
    409,
    'Another request with this key is in progress. Try again after Retry-After, with the same key.',
  ),
  request_given_up: agent(
    409,
    'The request took too long, and the gateway gave up before it sent anything. Send it again.',
  ),
  action_pending: agent(409, 'There is no decision yet. Wait for the status APPROVED, then execute.'),
  execution_in_progress: agent(409, 'Another call is executing the action. Poll its status.'),
  action_executed: agent(409, 'The action was already executed. Its status contains the result.'),
  action_expired: agent(
    [409, 410],
    'The time to decide or to execute has passed. If the request is still wanted, send a new one.',
  ),
  already_decided: people(409, 'Someone else has decided, or the time to decide has passed.'),
  already_approved: people(409, 'You have approved this action; other people must approve it too.'),
  action_blocked: people(
    409,
    'The agent was revoked or lost its access, or the service was deleted. The action can only be denied.',
  ),
  action_changed: agent(
    409,
    'The action is not what was approved: the base URL of the service has changed. Send the request again, with a new key.',
  ),
  answer_not_kept: agent(
    409,
    'The answer to this key was streamed and is not kept. The request was sent; do not send it again.',
  ),
  not_undoable: people(
    409,
    'Only who gave an approval can take it back, while the agent has not used it and the time to decide lasts. The text says why.',
  ),
  not_withdrawable: people(
    409,
    'Only an approval that has not expired and was not used can be withdrawn. The text names the status.',
  ),
  import_changed: people(
    409,
    'The workspace has changed since the dry run, and nothing was imported. Look at a new dry run.',
  ),
  not_paused: people(409, 'The workspace is not paused; somebody may have resumed it. Load it again.'),
  workspace_in_use: people(409, 'A workspace that has services or agents cannot be deleted. Delete them first.'),
  owner_needed: people(409, 'This would leave the workspace without an owner. Make somebody else an owner first.'),
  already_member: people(409, 'The person is a member already. Change the role instead.'),
  administrator_fixed: people(409, 'The first account and that of ADMIN_EMAIL always administer the installation.'),
  email_taken: people(409, 'An account with this e-mail already exists.'),
  conflict: agent(409, 'The current state does not allow this; the text says why.'),

  slack_link_gone: people(410, 'The link from Slack was used or has expired. Press the button in Slack again.'),
  invitation_gone: people(410, 'The invitation was used or has expired. Ask an owner of the workspace for a new one.'),
  service_deleted: agent(410, 'The service was deleted. Stop; tell your user.'),
  body_too_large: agent(413, 'The request body is larger than the limit that the text names.'),
  response_too_large: agent(
    413,
    "The upstream's response is larger than 10 MB. The upstream processed the request; request less data.",
  ),
  media_type_unsupported: agent(415, 'The content type of the body is not supported; the text says which one is.'),
  expectation_failed: agent(417, 'The gateway does not support what the Expect header requires.'),
  idempotency_conflict: agent(
    422,
    'The key was already used with another method, URL or body. Use a new key for a new request.',
  ),
  approval_required: agent(
    428,
    'The request is held: nothing was sent, and a human must approve it. Poll status_url, then execute once.',
  ),
  limit_reached: agent(
    429,
    'A limit that the team of the service has set for you is used up; the text names it. Nothing was sent: send it again after Retry-After, with the same key, or tell your user. Do not try another way.',
  ),
  too_many_in_flight: agent(
    429,
    'You have too many requests in progress. Nothing was sent: send it again after Retry-After, with the same key.',
  ),
  too_much_buffered: agent(
    429,
    'Your requests in progress and your unread responses are too large together. Nothing was sent: send it again after Retry-After, with the same key.',
  ),
  too_many_pending: agent(
    429,
    'Too many of your actions are open. Nothing was queued: wait for decisions, execute the approved actions, then send it again.',
  ),
  too_much_held: agent(
    429,
    'The requests in your open actions, or in those of your workspace, take too much space. Nothing was queued: wait for decisions, execute the approved actions, then send it again.',
  ),
  too_much_stored: agent(
    429,
    'The responses stored for your idempotency keys take too much space. Nothing was sent. They expire after 24 hours; request smaller responses.',
  ),
  too_many_requests: people(429, 'Too many attempts. Try again after Retry-After.'),
  headers_too_large: agent(431, 'The request headers are too large.'),

  credentials_unusable: agent(
    [500, 502],
    'The service has no usable credentials, or it has moved to a host that nobody has confirmed. Nothing was sent; only an administrator can fix this.',
  ),
  internal_error: agent(500, 'An unexpected error. The log has the details under X-Request-Id; tell your user.'),

  upstream_unreachable: agent(502, 'The upstream could not be reached. Nothing was sent: you can repeat the request.'),
  outcome_unknown: agent(
    502,
    'The request was sent, but no complete response arrived. The upstream may have processed it: check with a GET first.',
  ),
  database_unavailable: agent(
    503,
    'The gateway has no database connection. Nothing was sent: send it again after Retry-After, with the same key.',
  ),
  gateway_busy: agent(
    503,
    'The gateway is busy. Nothing was sent: send it again after Retry-After, with the same key.',
  ),
  shutting_down: agent(
    503,
    'This instance is shutting down. Nothing was sent: send it again after Retry-After, with the same key.',
  ),
  upstream_timeout: agent(
    504,
    'The upstream did not respond within 30 s. It may have processed the request: check with a GET first.',
  ),
} satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof entries;

/** Every code, sorted by status. */
export const ERROR_CODES: Readonly<Record<ErrorCode, ErrorCodeEntry>> = entries;
