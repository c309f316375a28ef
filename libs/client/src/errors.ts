/** What the gateway, or a human, says no with. All of them are `GatewayError`s. */

export interface GatewayErrorDetails {
  /** The gateway's `X-Request-Id`: name it when you ask an administrator. */
  requestId?: string | null;
  /** From `Retry-After`. */
  retryAfterMs?: number | null;
  cause?: unknown;
}

/** The gateway refused, or could not be reached. What the upstream answers, whatever its status, is no error but a `Response`. */
export class GatewayError extends Error {
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;

  /**
   * @param code the gateway's `X-Error-Code`; where it sent none `http_<status>`, and of this client: `gateway_unreachable`,
   *   `body_not_text`, `body_not_supported`, `approval_denied`, `action_expired`, `action_pending`, `redirect_unreadable`, `not_a_gateway`
   * @param status the HTTP status; 0: there was none
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

/** A human said no. Stop, and tell your user; do not try another way. */
export class ApprovalDenied extends GatewayError {
  override readonly name = 'ApprovalDenied';

  constructor(
    readonly actionId: string,
    /** What the approver tells you. */
    readonly note: string | null,
  ) {
    super('approval_denied', 403, note ? `Denied: ${note}` : 'Denied by a human');
  }
}

/** Nobody decided in time, or the approval was not used in time. Sending the request again asks again. */
export class ApprovalExpired extends GatewayError {
  override readonly name = 'ApprovalExpired';

  constructor(readonly actionId: string) {
    super('action_expired', 410, 'The request expired before it was approved and executed');
  }
}

/** Nobody has decided within `waitSeconds`. The request stays in the queue: `resumeAction` waits on. */
export class ApprovalPending extends GatewayError {
  override readonly name = 'ApprovalPending';

  constructor(readonly actionId: string) {
    super('action_pending', 428, 'Nobody has decided yet; the request is still in the queue, and nothing was sent');
  }
}
