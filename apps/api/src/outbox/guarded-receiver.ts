import type { OnApplicationShutdown } from '@nestjs/common';
import { allowlistKey, assertTargetAllowed, EgressClient, EgressFailure, EgressRefusal } from '#egress';
import type { Clock } from '../platform/clock.js';
import { ApiError, errors } from '../platform/errors.js';
import { parseRetryAfter } from '../platform/http/retry-after.js';
import { unsent, type Attempt } from './delivery.js';
import { signedHeaders } from './webhook-signature.js';

/** Most response bodies are read only to keep the connection. A larger one ends it. */
const ANSWER_MAX_BYTES = 1024 * 1024;

interface Message {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** A further check of the target. @returns why it is refused, or null */
  refusal?: (target: URL) => string | null;
}

/** An event for a program. */
interface Webhook extends Pick<Message, 'url' | 'refusal'> {
  id: string;
  event: { type: string; timestamp: string; data: object };
  /** All secrets that are valid now. */
  secrets: string[];
}

interface Exchanged {
  attempt: Attempt;
  /** The body of the response; null: it did not arrive. */
  body: Buffer | null;
}

/**
 * Sends messages to URLs of others through the egress guard. URLs are checked when they are registered and again before
 * each attempt; redirects are not followed. It has its own HTTP client, so that slow receivers don't use sockets that
 * agents' requests need.
 */
export class GuardedReceiver implements OnApplicationShutdown {
  private readonly egress: EgressClient;

  /** @param privateAllowlist `host:port` entries that may be private addresses, and plain http */
  constructor(
    private readonly privateAllowlist: ReadonlySet<string>,
    private readonly ownTargets: ReadonlySet<string>,
    timeoutMs: number,
    private readonly clock: Clock,
  ) {
    this.egress = new EgressClient({ privateAllowlist, timeoutMs, maxBytes: ANSWER_MAX_BYTES });
  }

  onApplicationShutdown(): Promise<void> {
    return this.egress.close();
  }

  /** Returns why a URL is malformed; null if it is well-formed, even if the guard blocks it. */
  urlFault(url: string): string | null {
    try {
      this.target(url);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.statusCode === 400) return error.message;
    }
    return null;
  }

  /**
   * Checks the text of the URL, without a DNS lookup.
   * @throws ApiError 400 for a malformed URL, 403 for a blocked one
   */
  target(url: string, field = 'url'): URL {
    try {
      return this.judged(url);
    } catch (error) {
      if (!(error instanceof EgressRefusal)) throw error;
      throw MALFORMED.has(error.code)
        ? errors.invalid(error.message.replace(/^(targetUrl|url):/, `${field}:`))
        : errors.egressBlocked(error.message);
    }
  }

  /** Checks every address that the name resolves to. @throws ApiError 400, 403 */
  async assertReachable(url: URL, field = 'url'): Promise<void> {
    try {
      await this.egress.resolveChecked(url);
    } catch (error) {
      if (!(error instanceof EgressFailure)) throw error;
      throw error.kind === 'refused_address'
        ? errors.egressBlocked(error.reason)
        : errors.invalid(`${field}: ${error.reason}`);
    }
  }

  /** Makes one attempt. Errors of the receiver or the network never throw; they are part of the result. */
  async post(message: Message): Promise<Attempt> {
    return (await this.exchange(message)).attempt;
  }

  /** Posts an event as Standard Webhooks describe. */
  postSigned({ url, refusal, id, event, secrets }: Webhook): Promise<Attempt> {
    const body = JSON.stringify(event);
    const headers = { 'content-type': 'application/json', ...signedHeaders(id, this.clock.now(), body, secrets) };
    return this.post({ url, headers, body: Buffer.from(body), refusal });
  }

  /** The same as `post`, for receivers whose answer says more than its status. */
  async exchange({ url, headers, body, refusal }: Message): Promise<Exchanged> {
    try {
      const target = this.judged(url);
      const reason = refusal?.(target) ?? null;
      if (reason !== null) return notSent(reason);
      const answer = await this.egress.send({ url: target, method: 'POST', headers, body });
      const retryAfter = answer.headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
      return {
        attempt: {
          status: answer.status,
          error: statusFault(answer.status),
          retryAfterMs: parseRetryAfter(retryAfter, this.clock.nowMs()),
        },
        body: answer.body,
      };
    } catch (error) {
      if (error instanceof EgressFailure) return brokenOff(error);
      if (error instanceof EgressRefusal) return notSent(error.message);
      throw error;
    }
  }

  /**
   * Requires https, because the messages are confidential. Allows http only if the operator has listed the host and
   * port.
   */
  private judged(text: string): URL {
    const { privateAllowlist, ownTargets } = this;
    const url = assertTargetAllowed(text, text, { privateAllowlist, ownTargets });
    if (url.protocol !== 'https:' && !privateAllowlist.has(allowlistKey(url))) {
      throw new EgressRefusal('scheme', 'url: must be an https URL');
    }
    return url;
  }
}

const MALFORMED: ReadonlySet<string> = new Set(['invalid_url', 'user_info', 'scheme']);

/** The receiver has accepted the message with its status, even if the body is too large or breaks off. */
function brokenOff({ status, reason }: EgressFailure): Exchanged {
  if (status === null) return notSent(reason);
  return { attempt: { status, error: statusFault(status), retryAfterMs: null }, body: null };
}

const notSent = (error: string): Exchanged => ({ attempt: unsent(error), body: null });

function statusFault(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `answered ${status}: redirects are not followed`;
  return `answered ${status}`;
}
