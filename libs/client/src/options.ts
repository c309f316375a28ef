/** What callers give and get. Only types of the web platform, so that it holds in Node, browsers, Deno and Bun alike. */

/** The signature of the platform's `fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** A call of `fetch`, read. */
export interface GatewayRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

/** A request that waits for a human. Nothing was sent yet. */
export interface HeldAction extends GatewayRequest {
  actionId: string;
  /** What would happen, in one line. */
  summary: string;
  intent: string;
  /** Where a human decides. */
  dashboardUrl: string;
  /** 0 to 1. */
  riskScore: number;
  riskExplanation: string;
  /** When it expires undecided, ISO 8601. */
  expiresAt: string;
}

export interface GatewayOptions {
  /** Where the gateway is, e.g. `https://gateway.example.com`. */
  gatewayUrl: string | URL;
  /** The agent's own key, `agt_…`. */
  agentKey: string;
  /**
   * What you want and why, in plain words, at most 500 characters: the risk assessment, the approver and the record read it. A
   * header `X-Intent` on a request takes precedence, and is not sent on.
   */
  intent: string | ((request: GatewayRequest) => string | Promise<string>);
  /** Called once when a request is held, before the waiting; its rejection ends the call, and leaves the request in the queue. */
  onHeld?: (held: HeldAction) => void | Promise<void>;
  /** How long to wait for a human's decision. Default: until the request expires. After it: `ApprovalPending`. */
  waitSeconds?: number;
  /** How long one call may wait, 1 to 60 seconds; less where something in between cuts idle connections earlier. */
  longPollSeconds?: number;
  /** How often a call is repeated when the gateway is away (no connection, 502 to 504 of something in between, 503). Default 5. */
  retries?: number;
  /** Where people open the dashboard. Default: `<gatewayUrl>/dashboard`. */
  dashboardUrl?: string | URL;
  /** What to reach the gateway with. Default: the platform's `fetch`. */
  fetch?: Fetch;
}
