/**
 * The types that callers use. They depend only on types of the web platform, so they work in Node, browsers, Deno and
 * Bun.
 */

/** The signature of the platform's `fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** The parsed arguments of a `fetch` call. */
export interface GatewayRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** Null also when the body is not text. */
  body: string | null;
  /** A body that is not UTF-8 text: its bytes in base64. Null for text, and without a body. */
  bodyBase64: string | null;
}

/** A request that is held for approval. Nothing was sent yet. */
export interface HeldAction extends GatewayRequest {
  actionId: string;
  /** What the request does, in one line. */
  summary: string;
  intent: string;
  /** The page on which a human decides. */
  dashboardUrl: string;
  /** 0 to 1. */
  riskScore: number;
  riskExplanation: string;
  /** When the request expires if it is not decided, in ISO 8601. */
  expiresAt: string;
}

/**
 * The request that replaces a held one, because a person changed it. It is executed in place of the request that you
 * sent.
 */
export interface Revision {
  /** The action that is executed. */
  actionId: string;
  /** The action that was changed. */
  revises: string;
  /** The request that is sent. `body` is null also when it is not text. Null: another call has executed it already. */
  request: { method: string; url: string; headers: Record<string, string>; body: string | null } | null;
}

export interface GatewayOptions {
  /** The gateway's URL, for example `https://gateway.example.com`. */
  gatewayUrl: string | URL;
  /** The agent's own key, `agt_…`. */
  agentKey: string;
  /**
   * What you want to do and why, in plain words, at most 500 characters. The risk assessment and the approver read it,
   * and the audit record keeps it. The header `X-Intent` of a request takes precedence, and is not forwarded.
   */
  intent: string | ((request: GatewayRequest) => string | Promise<string>);
  /**
   * Called once when a request is held, before the wait. If it rejects, the call ends and the request stays in the
   * queue.
   */
  onHeld?: (held: HeldAction) => void | Promise<void>;
  /**
   * Called when a person changed the request before approving it, before the changed request is executed. Tell your
   * user what was changed. If it rejects, the call ends, and nothing is sent. Default: a warning on the console.
   */
  onRevised?: (revision: Revision) => void | Promise<void>;
  /**
   * How long to wait for a human's decision. After this time, the call throws `ApprovalPending`. Default: until the
   * request expires.
   */
  waitSeconds?: number;
  /** How long one call can wait, 1 to 60 seconds. Use less if a proxy closes idle connections earlier. */
  longPollSeconds?: number;
  /**
   * How often a call is repeated while the gateway is unavailable (no connection, 503, or 502 to 504 from a proxy), or while
   * a limit is used up that starts again within a minute.
   * Default 5.
   */
  retries?: number;
  /** The dashboard's URL for people. Default: `<gatewayUrl>/dashboard`. */
  dashboardUrl?: string | URL;
  /** The `fetch` that calls the gateway. Default: the platform's `fetch`. */
  fetch?: Fetch;
}
