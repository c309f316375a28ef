/**
 * What the header `X-Error-Code` may say: the stable name of each refusal, for programs. Texts may be reworded, codes are
 * kept. This file imports nothing.
 */
export interface ErrorCodeEntry {
  /** With which statuses it comes. */
  statuses: readonly number[];
  /** What it means, and what to do. */
  meaning: string;
  /** Whether an agent can get it; else the dashboard's endpoints alone give it. */
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
  invalid_json: agent(400, 'The body is no JSON object. Correct it.'),
  idempotency_key_required: agent(
    400,
    'POST and PATCH need an Idempotency-Key. Make one, and repeat the same one on every retry.',
  ),
  scheme_not_allowed: agent(400, 'The target is neither http nor https. Correct it.'),
  body_not_allowed: agent(400, 'GET and HEAD take no body. Leave it out.'),

  agent_key_exposed: agent(
    400,
    'The request would carry an agent key to the service. Take it out; the gateway adds the real credentials itself.',
  ),

  agent_key_missing: agent(401, 'Send the agent key in the header Agent-Key.'),
  agent_key_malformed: agent(401, 'What was sent is no agent key: those begin with agt_. Stop; tell your user.'),
  agent_key_unknown: agent(401, 'No agent has this key (any more). Stop; tell your user.'),
  agent_key_revoked: agent(401, 'The agent was revoked. Stop; tell your user.'),
  authorization_missing: people(401, 'Send the access token in the header Authorization, after Bearer.'),
  authorization_malformed: people(401, 'The header Authorization must be Bearer and an access token.'),
  token_invalid: people(401, 'The token is wrong or has expired. Refresh it, or log in.'),
  credentials_wrong: people(401, 'E-mail or password is wrong.'),

  target_outside_service: agent(
    403,
    'The target is not below the base URL of the service. Stop; do not try another spelling.',
  ),
  target_ambiguous: agent(
    403,
    'Servers may read the path as one of several services. Write it without encoded, empty or dotted segments.',
  ),
  egress_blocked: agent(403, 'The target leads to an address that nobody may reach. Stop; tell your user.'),
  callback_host_not_allowed: agent(
    403,
    'Callbacks may not go to this host. Tell your user: the owner of the agent sees it as a suggestion.',
  ),
  rule_denied: agent(403, "A rule of the service's team forbids this request. Stop; do not try another way."),
  service_forbidden: agent(403, 'The agent has no access to this service (any more). Stop; tell your user.'),
  forbidden: agent(403, 'Not allowed; the text says why.'),
  registration_closed: people(403, 'No more accounts can be made.'),
  setup_token_wrong: people(403, 'The setup token is missing or wrong.'),
  approval_denied: agent([403, 409], 'A human denied the action. Stop; tell your user what the note says.'),

  service_unknown: agent(
    404,
    'None of your services matches. Check the URL or name against GET /agent; ask your user for access.',
  ),
  action_unknown: agent(404, 'You have no such action. Take the action_id from a 428 of yours.'),
  not_found: agent(404, 'There is no such thing, or it is not yours.'),

  method_not_allowed: agent(405, 'The path does not take this method.'),
  not_acceptable: agent(406, 'The Accept header excludes what this endpoint answers with.'),
  request_timeout: agent(408, 'The request did not arrive in time. Send it again.'),

  idempotency_in_progress: agent(
    409,
    'Another request with this key is under way. Come back after Retry-After, with the same key.',
  ),
  request_given_up: agent(409, 'It took too long and was given up; nothing was sent. Send it again.'),
  action_pending: agent(409, 'Nobody has decided yet. Wait on its status, then execute.'),
  execution_in_progress: agent(409, 'Another call is executing the action. Ask for its status.'),
  action_executed: agent(409, 'The action was executed already. Its result stands in its status.'),
  action_expired: agent(
    [409, 410],
    'The time to decide or to execute is over. A new request asks again, if it is still wanted.',
  ),
  already_decided: people(409, 'Somebody else has decided, or the time is over.'),
  action_blocked: people(
    409,
    'The agent is revoked or has lost its access, or the service is gone. The action can only be denied.',
  ),
  not_withdrawable: people(
    409,
    'Only an approval that is in time and not yet used can be withdrawn. The text names the status.',
  ),
  email_taken: people(409, 'There is an account with this e-mail.'),
  conflict: agent(409, 'The state of things does not allow it now; the text says why.'),

  service_deleted: agent(410, 'The service was deleted. Stop; tell your user.'),
  body_too_large: agent(413, 'The request body is over the limit that the text names.'),
  response_too_large: agent(
    413,
    "The upstream's answer is over 10 MB. Ask for less: the request itself was carried out.",
  ),
  media_type_unsupported: agent(415, 'The body is of a kind that is not taken here; the text says which is.'),
  expectation_failed: agent(417, 'The Expect header asks for something that is not done here.'),
  idempotency_conflict: agent(
    422,
    'The key was used with another method, URL or body. Take a new key for a new request.',
  ),
  approval_required: agent(428, 'Held: nothing was sent, a human must approve. Wait on status_url, then execute once.'),
  too_many_in_flight: agent(
    429,
    'You have too many requests under way. Nothing was sent: send it again after Retry-After, with the same key.',
  ),
  too_much_buffered: agent(
    429,
    'Your requests under way and the answers that you have not read are too large together. Nothing was sent: send it again after Retry-After, with the same key.',
  ),
  too_many_pending: agent(
    429,
    'Too many of your actions are open. Nothing was queued: wait for decisions, execute what was approved, then send it again.',
  ),
  too_much_stored: agent(
    429,
    'Too many answers are stored for your keys. Nothing was sent: they expire after 24 hours; ask for smaller answers.',
  ),
  too_many_requests: people(429, 'Too many attempts. Come back after Retry-After.'),
  headers_too_large: agent(431, 'The request headers are too large.'),

  credentials_unusable: agent(
    500,
    'The service has no credential that can be used. Nothing was sent; only an administrator can help.',
  ),
  internal_error: agent(500, 'Something unforeseen. The log has it under X-Request-Id; tell your user.'),

  upstream_unreachable: agent(502, 'The upstream could not be reached. Nothing was sent: the request may be repeated.'),
  outcome_unknown: agent(
    502,
    'Sent, but no whole answer came. It may have been carried out: find out with a GET before anything else.',
  ),
  database_unavailable: agent(
    503,
    'The gateway can not work now. Nothing was sent: send it again after Retry-After, with the same key.',
  ),
  gateway_busy: agent(503, 'Too much at once. Nothing was sent: send it again after Retry-After, with the same key.'),
  shutting_down: agent(
    503,
    'This instance stops. Nothing was sent: send it again after Retry-After, with the same key.',
  ),
  upstream_timeout: agent(
    504,
    'No answer within 30 s. It may have been carried out: find out with a GET before anything else.',
  ),
} satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof entries;

/** Every code, in the order of its status. */
export const ERROR_CODES: Readonly<Record<ErrorCode, ErrorCodeEntry>> = entries;
