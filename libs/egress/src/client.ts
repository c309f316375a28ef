import { isIP } from 'node:net';
import { Pool } from 'undici';
import { isTargetAddress } from './address-policy.js';
import { Exchange, type EgressResponse, type StreamPolicy } from './exchange.js';
import { EgressFailure, failureFrom, RefusedAddressError } from './failure.js';
import { guardedConnector, resolvePublic } from './guarded-lookup.js';
import type { Sender } from './pace.js';
import { systemResolver, type Resolver } from './name-resolver.js';
import { allowlistKey, hostWithoutBrackets } from './target.js';

/**
 * For each group. Each open event stream holds one. Agents have far fewer requests in progress (`AGENT_MAX_IN_FLIGHT`).
 */
const CONNECTIONS_PER_ORIGIN = 1024;
const RESPONSE_HEADERS_MAX_BYTES = 64 * 1024;
/** A pool that is unused between two sweeps is released. Its sockets close by themselves after 4 idle seconds. */
const SWEEP_MS = 60_000;
/** Above this number of origins, opening a pool immediately releases an idle one. */
const MAX_IDLE_POOLS = 1_000;

export interface EgressRequest {
  /** The result of `assertTargetAllowed`. */
  url: URL;
  /** Path and query as they are sent, if they are spelled in another way than in `url`: see `writtenPath`. */
  path?: string;
  method: string;
  /** Sent unchanged, in addition to the headers that HTTP needs. The client itself sets `Host` and `Content-Length`. */
  headers: Record<string, string | string[]>;
  body: Buffer | null;
  /** Replaces the client's own limits. */
  limits?: { timeoutMs: number; maxBytes: number };
  /** Shown to the server when it asks for a certificate. Connections are shared only under the same `id`. */
  certificate?: { id: string; cert: string; key: string };
  /** Connections are shared only within a group, so that the streams of one group can't use up those of another. */
  group?: number;
  /** Without it, each response is collected. */
  streams?: StreamPolicy | null;
  /** Without it, nobody else uses the CPU and memory of the process. */
  sender?: Sender;
}

export interface EgressClientOptions {
  /** `host:port` entries that may resolve to private addresses (see `allowlistKey`). */
  privateAllowlist: ReadonlySet<string>;
  /** Time limit from `send` to the last decoded byte. */
  timeoutMs: number;
  /** Size limit of the decoded body. */
  maxBytes: number;
  resolver?: Resolver;
}

interface OriginPool {
  pool: Pool;
  /** Number of unfinished requests. */
  active: number;
  usedSinceSweep: boolean;
}

/**
 * Sends requests to untrusted targets. It connects only to checked addresses, follows no redirects, ignores proxy
 * settings, never retries, and enforces all limits. Sockets are kept alive per origin.
 */
export class EgressClient {
  private readonly privateAllowlist: ReadonlySet<string>;
  private readonly timeoutMs: number;
  private readonly maxBytes: number;
  private readonly resolver: Resolver;
  /** By origin and group, and by certificate where there is one. */
  private readonly pools = new Map<string, OriginPool>();
  private readonly sweeper: NodeJS.Timeout;
  /**
   * Contains only the exchanges that pass on a stream. If each request entered and left this Set, V8 would keep each
   * one in memory until the next full garbage collection: the Set replaces its table often, and an old table refers to
   * the newer ones (benchmarks/README.md).
   */
  private readonly streaming = new Set<Exchange>();
  private active = 0;
  private closed = false;
  private onIdle: () => void = () => {};

  constructor(options: EgressClientOptions) {
    this.privateAllowlist = options.privateAllowlist;
    this.timeoutMs = options.timeoutMs;
    this.maxBytes = options.maxBytes;
    this.resolver = options.resolver ?? systemResolver;
    this.sweeper = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  /** Sends one request and returns its response. Rejects only with `EgressFailure`. */
  send(request: EgressRequest): Promise<EgressResponse> {
    if (this.closed) return Promise.reject(new EgressFailure('not_sent', false, 'gateway is shutting down'));
    const { url, method } = request;
    const timeoutMs = request.limits?.timeoutMs ?? this.timeoutMs;
    const maxBytes = request.limits?.maxBytes ?? this.maxBytes;
    const origin = this.poolFor(request);
    origin.active += 1;
    origin.usedSinceSweep = true;
    this.active += 1;
    const settled = (): void => {
      origin.active -= 1;
      this.active -= 1;
      this.streaming.delete(exchange);
      if (this.active === 0) this.onIdle();
    };
    const onStreaming = (): void => {
      this.streaming.add(exchange);
      // Waits until the reader of the exchange listens for errors.
      if (this.closed) setImmediate(() => exchange.breakOff());
    };
    const exchange = new Exchange(method, maxBytes, timeoutMs, settled, request.streams, onStreaming, request.sender);
    origin.pool.dispatch(
      {
        path: request.path ?? url.pathname + url.search,
        method: method,
        headers: headerList(request.headers),
        body: request.body,
      },
      exchange,
    );
    return exchange.response;
  }

  /**
   * Checks every address that the target's name resolves to, without connecting, so that humans don't decide about
   * requests that can't be sent. The connection checks again. Rejects with `EgressFailure`.
   */
  async resolveChecked(url: URL): Promise<void> {
    if (this.privateAllowlist.has(allowlistKey(url))) return;
    const host = hostWithoutBrackets(url.hostname);
    try {
      if (isIP(host) === 0) await this.withinTimeout(resolvePublic(host, this.resolver));
      else if (!isTargetAddress(host)) throw new RefusedAddressError();
    } catch (error) {
      throw failureFrom(error, false);
    }
  }

  /**
   * Refuses new requests, waits for those in progress (at most the timeout), breaks off streams, and closes every
   * socket.
   */
  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.sweeper);
    for (const exchange of this.streaming) exchange.breakOff();
    if (this.active > 0) await new Promise<void>((resolve) => (this.onIdle = resolve));
    await Promise.all(Array.from(this.pools.values(), ({ pool }) => pool.destroy()));
    this.pools.clear();
  }

  private poolFor({ url, group = 0, certificate }: EgressRequest): OriginPool {
    const name = `${url.origin} ${group}${certificate === undefined ? '' : ` ${certificate.id}`}`;
    const known = this.pools.get(name);
    if (known) return known;
    if (this.pools.size >= MAX_IDLE_POOLS) this.evictOldestIdle();
    const pool = new Pool(url.origin, {
      connect: guardedConnector(url, {
        privateAllowlist: this.privateAllowlist,
        resolver: this.resolver,
        timeoutMs: this.timeoutMs,
        certificate,
      }),
      connections: CONNECTIONS_PER_ORIGIN,
      pipelining: 1,
      maxHeaderSize: RESPONSE_HEADERS_MAX_BYTES,
      // The timer of the exchange covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const origin = { pool, active: 0, usedSinceSweep: true };
    this.pools.set(name, origin);
    return origin;
  }

  private sweep(): void {
    for (const [name, origin] of this.pools) {
      if (origin.active === 0 && !origin.usedSinceSweep) this.drop(name, origin);
      origin.usedSinceSweep = false;
    }
  }

  private evictOldestIdle(): void {
    for (const [name, origin] of this.pools) {
      if (origin.active === 0) return this.drop(name, origin);
    }
  }

  private drop(name: string, { pool }: OriginPool): void {
    this.pools.delete(name);
    void pool.destroy();
  }

  private async withinTimeout<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout;
    const timeout = new Promise<never>((_, reject) => {
      const failure = new EgressFailure('timeout', false, 'host name could not be resolved in time');
      timer = setTimeout(() => reject(failure), this.timeoutMs);
    });
    return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
  }
}

/** Converts headers to undici's flat list. Drops a `Host`, because the certificate would be checked against it. */
function headerList(headers: Record<string, string | string[]>): string[] {
  const list: string[] = [];
  let hasUserAgent = false;
  let hasAcceptEncoding = false;
  for (const name in headers) {
    const lower = name.toLowerCase();
    if (lower === 'host' || lower === 'content-length') continue;
    if (lower === 'user-agent') hasUserAgent = true;
    else if (lower === 'accept-encoding') hasAcceptEncoding = true;
    list.push(name, headers[name] as string);
  }
  if (!hasUserAgent) list.push('user-agent', 'agent-gateway');
  if (!hasAcceptEncoding) list.push('accept-encoding', 'identity');
  return list;
}
