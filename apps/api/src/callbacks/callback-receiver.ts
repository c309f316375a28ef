import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { listsCallbackHost } from '#contracts';
import { allowlistKey, assertTargetAllowed, EgressClient, EgressFailure, EgressRefusal } from '#egress';
import { Clock } from '../platform/clock.js';
import { EgressConfig } from '../platform/config.js';
import { ApiError, errors } from '../platform/errors.js';
import { parseRetryAfter } from './retry-delay.js';

const TIMEOUT_MS = 10_000;
/** Read only to be done with it, and dropped. */
const ANSWER_MAX_BYTES = 1024 * 1024;

/** What became of one attempt. */
export interface Attempt {
  /** null: no answer came. */
  status: number | null;
  /** Why it failed, in words; null when the receiver took it. */
  error: string | null;
  retryAfterMs: number | null;
}

/**
 * Reaches receivers of callbacks through the egress guard: checked when registered and again for each attempt, no redirect
 * followed. A client of its own, so that slow receivers hold no socket that agents' requests wait for.
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

  /** Why a URL can't be a receiver; null when it can, or must not be reached. */
  faultOf(url: string): string | null {
    try {
      this.target(url);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.statusCode === 400) return error.message;
    }
    return null;
  }

  /** The textual half of the guard. @throws ApiError 400 for a URL that can't be a receiver, 403 for one that must not be reached */
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

  /** The other half: every address behind the name. @throws ApiError 400, 403 */
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
   * One attempt. Never throws for anything that the receiver or the network does.
   * @param hosts where the agent's callbacks may go
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

  /** https, since what is told is nobody else's business; http only where the operator has listed host and port. */
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
