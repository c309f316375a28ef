import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { listsCallbackHost } from '#contracts';
import { allowlistKey, assertTargetAllowed, EgressClient, EgressFailure, EgressRefusal } from '#egress';
import { Clock } from '../platform/clock.js';
import { EgressConfig } from '../platform/config.js';
import { ApiError, errors } from '../platform/errors.js';
import { parseRetryAfter } from './retry-delay.js';

const TIMEOUT_MS = 10_000;
/** The response body is read only to finish the exchange, and is discarded. */
const ANSWER_MAX_BYTES = 1024 * 1024;

/** The result of one attempt. */
export interface Attempt {
  /** null if no response arrived. */
  status: number | null;
  /** Why the attempt failed; null if the receiver accepted the callback. */
  error: string | null;
  retryAfterMs: number | null;
}

/**
 * Sends callbacks through the egress guard. URLs are checked at registration and again before each attempt; redirects are not
 * followed. It has its own HTTP client, so that slow receivers don't use sockets that agents' requests need.
 */
@Injectable()
export class CallbackReceiver implements OnApplicationShutdown {
  private readonly egress: EgressClient;

  constructor(
    private readonly config: EgressConfig,
    private readonly clock: Clock,
  ) {
    this.egress = new EgressClient({
      privateAllowlist: config.callbackPrivateHosts,
      timeoutMs: TIMEOUT_MS,
      maxBytes: ANSWER_MAX_BYTES,
    });
  }

  onApplicationShutdown(): Promise<void> {
    return this.egress.close();
  }

  /** Returns why a URL is malformed; null if it is well-formed, even if the guard blocks it. */
  faultOf(url: string): string | null {
    try {
      this.target(url);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.statusCode === 400) return error.message;
    }
    return null;
  }

  /** Checks the text of the URL, without a DNS lookup. @throws ApiError 400 for a malformed URL, 403 for a blocked one */
  target(url: string): URL {
    try {
      return this.judged(url);
    } catch (error) {
      if (!(error instanceof EgressRefusal)) throw error;
      throw MALFORMED.has(error.code)
        ? errors.invalid(error.message.replace(/^targetUrl/, 'url'))
        : errors.egressBlocked(error.message);
    }
  }

  /** Checks every address that the name resolves to. @throws ApiError 400, 403 */
  async assertReachable(url: URL): Promise<void> {
    try {
      await this.egress.resolveChecked(url);
    } catch (error) {
      if (!(error instanceof EgressFailure)) throw error;
      throw error.kind === 'refused_address'
        ? errors.egressBlocked(error.reason)
        : errors.invalid(`url: ${error.reason}`);
    }
  }

  /**
   * Makes one attempt. Errors of the receiver or the network never throw; they are part of the result.
   * @param hosts the hosts that the agent's callbacks may go to
   */
  async post(url: string, hosts: readonly string[], headers: Record<string, string>, body: string): Promise<Attempt> {
    try {
      const target = this.judged(url);
      if (!listsCallbackHost(hosts, target)) return refused(errors.callbackHostNotAllowed(target.host).message);
      const answer = await this.egress.send({
        url: target,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: Buffer.from(body),
      });
      const retryAfter = answer.headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
      return {
        status: answer.status,
        error: faultOf(answer.status),
        retryAfterMs: parseRetryAfter(retryAfter, this.clock.nowMs()),
      };
    } catch (error) {
      if (error instanceof EgressFailure) return refused(error.reason);
      if (error instanceof EgressRefusal) return refused(error.message);
      throw error;
    }
  }

  /** Requires https, because callbacks are confidential. Allows http only if the operator has listed the host and port. */
  private judged(text: string): URL {
    const { callbackPrivateHosts: privateAllowlist, ownTargets } = this.config;
    const url = assertTargetAllowed(text, text, { privateAllowlist, ownTargets });
    if (url.protocol !== 'https:' && !privateAllowlist.has(allowlistKey(url))) {
      throw new EgressRefusal('scheme', 'url: must be an https URL');
    }
    return url;
  }
}

const refused = (error: string): Attempt => ({ status: null, error, retryAfterMs: null });

const MALFORMED: ReadonlySet<string> = new Set(['invalid_url', 'user_info', 'scheme']);

function faultOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `answered ${status}: redirects are not followed`;
  return `answered ${status}`;
}
