/** The errors with which the gateway or a human refuses a request. All of them are `GatewayError`s. */

export interface GatewayErrorDetails {
  /** The gateway's `X-Request-Id`. Give it to an administrator when you report the error. */
  requestId?: string | null;
  /** From `Retry-After`. */
  retryAfterMs?: number | null;
  cause?: unknown;
}

/**
 * The gateway refused the request or could not be reached. Upstream responses of any status are not errors, but
 * `Response`s.
 */
export class GatewayError extends Error {
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;

  /**
   * @param code the gateway's `X-Error-Code`, or `http_<status>` if it sent none. This client itself uses
   * `gateway_unreachable`,
   *   `body_not_supported`, `approval_denied`, `action_expired`, `action_pending`, `redirect_unreadable`, `not_a_gateway`
   * @param status the HTTP status; 0 if there was no response
   */
  constructor(
    readonly code: string,
    readonly status: number,
    message: string,
    { requestId = null, retryAfterMs = null, cause }: GatewayErrorDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A human denied the request. Stop, and tell your user; do not try another way. */
export class ApprovalDenied extends GatewayError {
  override readonly name = 'ApprovalDenied';

  constructor(
    readonly actionId: string,
    /** The approver's note. */
    readonly note: string | null,
  ) {
    super('approval_denied', 403, note ? `Denied: ${note}` : 'Denied by a human');
  }
}

/**
 * The request was not decided, or its approval not used, in time. Sending the request again requests a new approval.
 */
export class ApprovalExpired extends GatewayError {
  override readonly name = 'ApprovalExpired';

  constructor(readonly actionId: string) {
    super('action_expired', 410, 'The request expired before it was approved and executed');
  }
}

/** There was no decision within `waitSeconds`. The request stays in the queue: `resumeAction` continues to wait. */
export class ApprovalPending extends GatewayError {
  override readonly name = 'ApprovalPending';

  constructor(readonly actionId: string) {
    super('action_pending', 428, 'Nobody has decided yet; the request is still in the queue, and nothing was sent');
  }
}
