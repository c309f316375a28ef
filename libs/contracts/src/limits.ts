/** Limits that the API and its clients share (docs/reference/http.md#limits). This file imports nothing. */

export const UPSTREAM_TIMEOUT_MS = 30_000;
export const UPSTREAM_RESPONSE_MAX_BYTES = 10 * 1024 * 1024;

/** Default of `BODY_MAX_BYTES`. */
export const PROXY_BODY_MAX_BYTES = 10 * 1024 * 1024;
/** The largest value of `BODY_MAX_BYTES`. */
export const PROXY_BODY_LARGEST_BYTES = 64 * 1024 * 1024;
/** Defaults of the settings with these names. */
export const STREAM_MAX_BYTES = 1024 * 1024 * 1024;
export const STREAM_MAX_SECONDS = 3600;
export const DOCUMENTATION_BODY_MAX_BYTES = 20 * 1024 * 1024;
export const DEFAULT_BODY_MAX_BYTES = 1024 * 1024;
/**
 * Deeper JSON is refused before validation, because validation is recursive and would overflow the stack
 * (docs/reference/http.md#json).
 */
export const JSON_MAX_DEPTH = 64;
/**
 * Validation takes time quadratic in the number of keys of an object: 100,000 keys (1 MB) blocked the process for a
 * minute.
 */
export const JSON_MAX_KEYS = 1000;
export const JSON_MAX_VALUES = 20_000;

/** The longest reason of a pause. */
export const PAUSE_REASON_MAX = 200;
/** A resumption counts the refused requests of a pause up to here. */
export const REFUSALS_COUNTED_MAX = 10_000;
export const SERVICE_NAME_MAX = 255;
export const BASE_URL_MAX = 512;
export const AGENT_NAME_MIN = 3;
export const AGENT_NAME_MAX = 100;
export const KEY_GRACE_MAX_MINUTES = 30 * 24 * 60;
/** How long replaced credentials can be put back, if the request does not say. */
export const CREDENTIAL_GRACE_HOURS = 24;
export const CREDENTIAL_GRACE_MAX_HOURS = 30 * 24;
export const ROTATE_EVERY_MAX_DAYS = 3650;
/** How many days ahead of its date a rotation is due. */
export const ROTATION_DUE_DAYS = 7;
export const KEY_LIFETIME_MAX_DAYS = 3650;
export const AGENT_ADDRESSES_MAX = 50;
export const INTENT_MAX = 500;
export const IDEMPOTENCY_KEY_MAX = 255;
export const IDEMPOTENCY_TTL_HOURS = 24;
export const TARGET_URL_MAX = 8192;
/** Names and values of the headers of one request together, in characters. Upstreams take less. */
export const REQUEST_HEADERS_MAX = 64 * 1024;

export const PASSWORD_MIN = 12;
export const PASSWORD_MAX = 128;
export const EMAIL_MAX = 254;
export const USER_NAME_MAX = 100;
export const PASSKEY_NAME_MAX = 100;

export const CREDENTIAL_VALUE_MAX = 16_384;
export const CREDENTIALS_MAX = 50;
export const CREDENTIAL_NAME_MAX = 128;
/** Headers, or query parameters, that a service of type `custom` injects. */
export const AUTH_TEMPLATES_MAX = 20;
export const AUTH_TEMPLATE_MAX = 1024;
export const OAUTH_URL_MAX = 2048;
export const OAUTH_SCOPES_MAX = 100;
/** How long a person has to sign in at a provider. */
export const OAUTH_SIGN_IN_MINUTES = 10;
export const RULE_NAME_MAX = 100;
export const RULE_INSTRUCTION_MAX = 2000;
export const PATH_PATTERN_MAX = 512;
export const CONDITION_MAX = 1000;
/** `**` counts as one wildcard. */
export const PATH_PATTERN_WILDCARDS_MAX = 8;
/** The most services and agents in one configuration file. */
export const CONFIGURED_SERVICES_MAX = 500;
export const CONFIGURED_AGENTS_MAX = 1000;
export const DOCUMENT_TITLE_MAX = 255;
export const DOCUMENTS_PER_SERVICE_MAX = 50;
export const OPERATIONS_PER_DOCUMENT_MAX = 10_000;
export const RULES_PER_SERVICE_MAX = 500;
/** How many rules one exception can lift. */
export const EXCEPTION_RULES_MAX = 20;
/** How many of the latest requests a backtest reads. */
export const BACKTEST_REQUESTS_DEFAULT = 1000;
export const BACKTEST_REQUESTS_MAX = 5000;
/** The largest amount of a limit. */
export const LIMIT_COUNT_MAX = 1_000_000_000_000;
/** The smallest amount of a limit with a sum. Without one, it is 1. */
export const LIMIT_SUM_MIN = 0.000_001;

/** How many people a rule can ask for one action. */
export const APPROVALS_MAX = 5;
/** How many people a rule can name. */
export const APPROVERS_MAX = 100;
export const NOTE_MAX = 1000;
/** Parts of a request that a decision names as seen, and the characters of one. */
export const SEEN_MAX = 100;
export const SEEN_PART_MAX = 256;
export const CALLBACK_URL_MAX = 2048;
export const CALLBACK_HOSTS_MAX = 50;
/** The longest host name plus a port. */
export const CALLBACK_HOST_MAX = 259;

/** Largest value of PostgreSQL's integer, the type of every `:id`. */
export const ID_MAX = 2_147_483_647;
export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 200;
/** Lists show the whole of a body up to this size. Agents choose how many bodies a page has. */
export const LISTED_BODY_MAX_BYTES = 64 * 1024;
/** Most agents in one usage query: as many as the dashboard shows on one page. */
export const USAGE_AGENTS_MAX = 100;

/** `Prefer: wait=N`, RFC 7240 section 4.3. */
export const PREFER_WAIT_MAX_SECONDS = 60;
/** `Retry-After` of a held or pending action (docs/reference/agent-api.md#held). */
export const POLL_INTERVAL_SECONDS = 8;
export const EVENTS_HEARTBEAT_SECONDS = 15;
/** The most streams of live updates of one person on one instance. */
export const EVENT_STREAMS_MAX = 32;

export const WORKSPACE_NAME_MAX = 100;
/** The longest time that an approval can be taken back before it counts. */
export const UNDO_SECONDS_MAX = 30;

export const APPROVER_RULE_HOURS_MAX = 720;
export const INVITATION_DAYS = 7;
/** Mails of invitations within 24 hours. More invitations are possible, but are not mailed. */
export const INVITATION_MAILS_PER_WORKSPACE_MAX = 200;
export const INVITATION_MAILS_PER_ADDRESS_MAX = 5;
/** The same limit for one owner, over all workspaces. */
export const INVITATION_MAILS_PER_INVITER_MAX = 200;
export const ACCESS_TOKEN_DAYS_MAX = 366;
/** A year, for durations in minutes. */
export const EXPIRES_IN_MINUTES_MAX = 366 * 24 * 60;

/** Slack's messages with blocks are smaller. */
export const SLACK_BODY_MAX_BYTES = 256 * 1024;
export const CHANNEL_NAME_MAX = 100;
export const CHANNEL_TARGET_MAX = 2048;
export const CHANNELS_PER_WORKSPACE_MAX = 50;
export const CHANNELS_PER_PERSON_MAX = 20;
/** Mails to the address of one account: as many as one channel can send. */
export const CHANNEL_MAILS_PER_HOUR_MAX = 60;
/** This is more than a person needs while setting up a channel. */
export const CHANNEL_TESTS_PER_MINUTE_MAX = 5;
export const CHANNEL_SERVICES_MAX = 200;
/** A week. */
export const CHANNEL_MINUTES_MAX = 10_080;
/** At this risk or higher, quiet hours do not apply. */
export const QUIET_HOURS_RISK = 0.8;

/**
 * The form of one identifier, in an exception that may have another one. It has a digit, because words such as `all` can
 * stand for many things.
 */
export const ONE_IDENTIFIER = '^[A-Za-z_-]*[0-9][A-Za-z0-9_-]*$';
