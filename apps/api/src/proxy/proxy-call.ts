import { hash } from 'node:crypto';
import type { Request } from 'express';
import type { HttpMethod } from '#contracts';
import type { ActionEntity } from '#database';
import type { AnswerRoom } from '../agents/answer-room.js';
import type { Payload } from '../egress/payload.js';

export type Streaming = 'none' | 'events' | 'any';

/** A well-formed request of an agent, as its door read it. */
export interface ProxyCall {
  readonly method: HttpMethod;
  /**
   * The target as the agent wrote it. After the review, it lacks the query parameters that the gateway injects, and what
   * the API does not get, like a fragment.
   */
  readonly targetUrl: string;
  /** The target as the agent wrote it, if `targetUrl` has changed. */
  readonly writtenUrl?: string;
  /** As the agent gave them, with a default content type. The review drops those that may not be forwarded. */
  readonly headers: Record<string, string>;
  readonly body: Payload | null;
  readonly intent: string;
  /** The agent gave no intent, so the gateway worded this one. */
  readonly unstatedIntent?: boolean;
  readonly idempotencyKey: string | null;
  /**
   * A request that needs a key and has none, below a base URL that allows it. It is a request of its own, even while an
   * equal one waits for approval.
   */
  readonly separate?: boolean;
  /** From `Prefer: wait=N`: how long the caller waits for a decision. 0: it does not wait. */
  readonly waitSeconds: number;
  /** From `Prefer: handling=dry-run`: assess the request, and send nothing. */
  readonly dryRun: boolean;
  /** Which answers are passed on as they arrive: none (the default), events (`text/event-stream`), or any. */
  readonly streaming?: Streaming;
  readonly requestId: string;
  /** The memory for the answer. Null: nothing is sent now. */
  readonly room: AnswerRoom | null;
  /** Called when a wait begins. The signal aborts when the agent hangs up. */
  readonly gone: () => AbortSignal;
  /**
   * The service that the caller named besides the target. Null: the agent has no such service. Undefined: it named
   * none.
   */
  readonly serviceId?: number | null;
  /** Called when the wait for a decision begins. */
  readonly onHeld?: (action: ActionEntity) => void;
}

export type ProxyHttpRequest = Request & { proxyCall: ProxyCall };

/** SHA-256 hex of `<method>:<targetUrl>:<body or empty>`, the body without its codings (docs/reference/idempotency.md#request-hash). */
export function requestHash({ method, targetUrl, writtenUrl = targetUrl, body }: ProxyCall): string {
  const prefix = `${method}:${writtenUrl}:`;
  return body === null ? hash('sha256', prefix, 'hex') : body.contentHashedAfter(prefix);
}
