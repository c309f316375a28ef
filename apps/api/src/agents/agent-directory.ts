import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { AGENT_KEY_PREFIX } from '#contracts';
import { hashAgentKey } from '../crypto/agent-keys.js';
import { Metrics } from '../observability/metrics.js';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import { SqlPool } from '../platform/fast-lane/sql-pool.js';
import { toServiceView, type ServiceView, type ServiceViewJson } from '../service-view/service-view.js';
import { SERVICE_VIEW_SQL } from '../services/service-view-sql.js';
import { allowsAddress, shownAddress } from './client-addresses.js';

/** An agent with everything that decides about its requests, as one snapshot of the database. */
export interface AgentView {
  id: number;
  workspaceId: number;
  /** The person who made it; null: the account was deleted. */
  madeBy: number | null;
  name: string;
  /** The hash of the key that was sent, which may be a rotated key. */
  keyHash: string;
  /** In plain text, so that it can be redacted where upstreams echo it. Never logged, stored or shown. */
  key: string;
  /** The agent's keys that this process has seen lately, `key` included. All of them are redacted. */
  keys: readonly string[];
  /** Whether the key was rotated and works for its grace time only. */
  isPreviousKey: boolean;
  /** The person who made this key; null: their account was deleted, or a person acts without a key. */
  keyMadeBy: number | null;
  /** When the key expires, by this process's clock; null: never. The database measured the remaining time. */
  keyEndsAtMs: number | null;
  isActive: boolean;
  /** The client addresses that the keys may come from; empty: all. */
  addresses: readonly string[];
  /** The address of the client that sent the request; undefined if the view was loaded without a request. */
  from?: string;
  /** Why its workspace is paused; null: it is not. */
  paused: string | null;
  /** The services in its scope. */
  services: readonly ServiceView[];
  /**
   * Incremented by each change to the agent or its scope, by each change to the name or base URL of a service in its
   * scope, and by pauses.
   */
  version: number;
  /** The service whose token the current request has renewed. A request renews a token once. */
  renewedServiceId?: number;
}

type AgentViewRow = Omit<AgentView, 'services' | 'key' | 'keys' | 'keyHash' | 'keyEndsAtMs'> & {
  keyLeftMs: number | null;
  services: ServiceViewJson[];
};

/** SQL expression: when the key of row `a` of `agents` expires. */
export const KEY_EXPIRES_AT_SQL = 'a.key_created_at + make_interval(days => a.key_lifetime_days)';

/** SQL: the view of row `a` of `agents`, apart from its key. */
const VIEW = `a.id, a.workspace_id AS "workspaceId", a.user_id AS "madeBy", a.name, a.is_active AS "isActive", to_json(a.addresses) AS addresses,
    a.version::float8 AS version, (SELECT w.paused_reason FROM workspaces w WHERE w.id = a.workspace_id) AS paused,
    (SELECT coalesce(json_agg(${SERVICE_VIEW_SQL} ORDER BY s.id), '[]')
     FROM agent_services x JOIN services s ON s.id = x.service_id WHERE x.agent_id = a.id) AS services`;

/**
 * One statement, so that all parts and their versions come from one snapshot. The database's clock decides which keys
 * have ended.
 */
const LOAD = `
  SELECT ${VIEW},
    k.is_previous AS "isPreviousKey", k.made_by AS "keyMadeBy",
    (extract(epoch FROM k.ends_at - now()) * 1000)::float8 AS "keyLeftMs"
  FROM (
    SELECT id AS agent_id, ${KEY_EXPIRES_AT_SQL} AS ends_at, false AS is_previous, coalesce(key_rotated_by, user_id) AS made_by
    FROM agents a WHERE key_hash = $1
    UNION ALL
    SELECT agent_id, expires_at, true, rotated_by FROM previous_agent_keys WHERE key_hash = $1 AND expires_at > now()
  ) k JOIN agents a ON a.id = k.agent_id`;

const CACHE_MAX = 10_000;
/** An agent has seldom more than two keys, and a client few addresses. */
const KEYS_REMEMBERED = 6;
const ADDRESSES_REMEMBERED = 64;
/** `lastUsedAt` is written at most this often, for all agents together. */
const TOUCH_INTERVAL_MS = 1000;

/**
 * Finds agents by their keys, and caches them. A cached view can be stale, as no event invalidates it. But an audit
 * record is written only if the agent and the service still have the versions that the decision was based on, and
 * nothing is forwarded without its record. So no request is forwarded on a stale view: a request that finds its view
 * stale loads it again. See docs/reference/agent-api.md#freshness.
 */
@Injectable()
export class AgentDirectory {
  /** By key hash. */
  private readonly cache = new LRUCache<string, AgentView>({ max: CACHE_MAX });
  private readonly loading = new Map<string, Promise<AgentView>>();
  /** By agent. */
  private readonly keys = new LRUCache<number, string[]>({ max: CACHE_MAX });
  /**
   * For each view, one copy per client address. Requests from the same address get the same copy, so that values
   * derived from it are computed only once.
   */
  private readonly copies = new WeakMap<AgentView, Map<string, AgentView>>();
  private readonly touched = new Set<number>();
  private readonly touchedKeys = new Set<string>();
  private touchedAtMs = -TOUCH_INTERVAL_MS;

  constructor(
    private readonly source: DataSource,
    private readonly sql: SqlPool,
    private readonly clock: Clock,
    private readonly background: BackgroundWork,
    private readonly metrics: Metrics,
  ) {}

  /** Returns the active agent with this key, possibly from the cache. @throws ApiError 401, 403 */
  async byKey(key: string, from?: string): Promise<AgentView> {
    const hash = hashPresentedKey(key);
    const cached = this.usable(hash, from);
    this.metrics.lookedUp('agent', cached !== undefined);
    if (cached !== undefined) return this.seenFrom(cached, from);
    // After a change, many requests of one agent can arrive at the same time. They share one query.
    const loading = this.loading.get(hash) ?? this.load(hash, key).finally(() => this.loading.delete(hash));
    this.loading.set(hash, loading);
    return this.admitted(await loading, from);
  }

  /** Returns the active agent with this key, always from the database. @throws ApiError 401, 403 */
  async freshByKey(key: string, from?: string): Promise<AgentView> {
    return this.admitted(await this.load(hashPresentedKey(key), key), from);
  }

  /** Loads the agent again by the same key, for the same client. @throws ApiError 401, 403 */
  async latest({ keyHash, key, from }: AgentView): Promise<AgentView> {
    return this.admitted(await this.load(keyHash, key), from);
  }

  /**
   * Returns a newer view of the agent after `view` turned out to be stale. If another request has already loaded a
   * newer one, returns that.
   * @throws ApiError 401, 403
   */
  async refresh(view: AgentView): Promise<AgentView> {
    const cached = this.cache.get(view.keyHash);
    if (cached !== undefined && this.isAlive(cached) && isOlder(view, cached)) return this.admitted(cached, view.from);
    return this.latest(view);
  }

  /** Records that the agent and its key were used, in the background. */
  touch({ id, isPreviousKey, keyHash }: AgentView): void {
    const isFirst = this.touched.size === 0;
    this.touched.add(id);
    if (isPreviousKey) this.touchedKeys.add(keyHash);
    if (isFirst) this.background.run('agents last used', () => this.saveTouched());
  }

  /** Returns an agent for whom a person acts, without a key; null if it was deleted. */
  async byId(agentId: number): Promise<AgentView | null> {
    const [row]: AgentViewRow[] = await this.source.query(`SELECT ${VIEW} FROM agents a WHERE a.id = $1`, [agentId]);
    if (row === undefined) return null;
    const services = row.services.map(toServiceView);
    return {
      ...row,
      services,
      keyHash: '',
      key: '',
      keys: [],
      isPreviousKey: false,
      keyMadeBy: null,
      keyEndsAtMs: null,
    };
  }

  private usable(hash: string, from: string | undefined): AgentView | undefined {
    const cached = this.cache.get(hash);
    if (cached === undefined || !this.isAlive(cached)) return undefined;
    // A stale list must not refuse an address that was added to it.
    return from === undefined || allowsAddress(cached.addresses, from) ? cached : undefined;
  }

  private async load(hash: string, key: string): Promise<AgentView> {
    const askedAtMs = this.clock.nowMs();
    const { rows } = await this.sql.prepared<AgentViewRow>('agent_view', LOAD, [hash]);
    if (rows.length === 0) {
      this.cache.delete(hash);
      throw errors.unknownAgentKey();
    }
    const { keyLeftMs, ...row } = rows[0];
    const view: AgentView = {
      ...row,
      keyHash: hash,
      key,
      keys: this.remember(row.id, key),
      keyEndsAtMs: keyLeftMs === null ? null : askedAtMs + keyLeftMs,
      services: row.services.map(toServiceView),
    };
    const cached = this.cache.get(hash);
    // A slow query must not overwrite a newer view that a faster query has cached.
    if (cached !== undefined && isOlder(view, cached)) return view;
    if (view.isActive) this.cache.set(hash, view);
    else this.cache.delete(hash);
    return view;
  }

  private async saveTouched(): Promise<void> {
    const waitMs = this.touchedAtMs + TOUCH_INTERVAL_MS - this.clock.monotonicMs();
    if (waitMs > 0) await delay(waitMs);
    const [ids, keys] = [[...this.touched], [...this.touchedKeys]];
    this.touched.clear();
    this.touchedKeys.clear();
    this.touchedAtMs = this.clock.monotonicMs();
    // Skips locked rows, so that two instances can't block each other.
    await this.source.query(
      `UPDATE agents SET last_used_at = $2 WHERE id IN
         (SELECT id FROM agents WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)`,
      [ids, this.clock.now()],
    );
    if (keys.length === 0) return;
    await this.source.query(
      `UPDATE previous_agent_keys SET last_used_at = $2 WHERE key_hash IN
         (SELECT key_hash FROM previous_agent_keys WHERE key_hash = ANY($1) ORDER BY key_hash FOR NO KEY UPDATE SKIP LOCKED)`,
      [keys, this.clock.now()],
    );
  }

  /** Deletes rotated keys whose grace time is over. They have ended already. @returns how many */
  async purgeEndedKeys(): Promise<number> {
    const [, ended]: [unknown, number] = await this.source.query(
      'DELETE FROM previous_agent_keys WHERE expires_at <= now()',
    );
    return ended;
  }

  private isAlive({ keyEndsAtMs }: AgentView): boolean {
    return keyEndsAtMs === null || this.clock.nowMs() < keyEndsAtMs;
  }

  /** @throws ApiError 401, 403 */
  private admitted(view: AgentView, from: string | undefined): AgentView {
    if (!view.isActive) throw errors.revokedAgentKey();
    if (!this.isAlive(view)) throw errors.expiredAgentKey();
    if (from !== undefined && !allowsAddress(view.addresses, from)) throw errors.addressNotAllowed(shownAddress(from));
    return this.seenFrom(view, from);
  }

  private seenFrom(view: AgentView, from: string | undefined): AgentView {
    if (from === undefined) return view;
    const copies = this.copies.get(view) ?? new Map<string, AgentView>();
    if (copies.size === 0) this.copies.set(view, copies);
    let copy = copies.get(from);
    if (copy === undefined) {
      if (copies.size >= ADDRESSES_REMEMBERED) copies.clear();
      copies.set(from, (copy = { ...view, from }));
    }
    return copy;
  }

  /** The keys that the agent's last requests had. */
  private remember(agentId: number, key: string): readonly string[] {
    const known = this.keys.get(agentId) ?? [];
    if (known.includes(key)) return known;
    // Views that were cached under the other keys don't redact this one.
    for (const other of known) this.cache.delete(hashAgentKey(other));
    const keys = [key, ...known].slice(0, KEYS_REMEMBERED);
    this.keys.set(agentId, keys);
    return keys;
  }
}

function hashPresentedKey(key: string): string {
  if (!key.startsWith(AGENT_KEY_PREFIX)) throw errors.malformedAgentKey();
  return hashAgentKey(key);
}

/**
 * Compares two views of one agent. Each is a snapshot of the database, so the older one has no version that is higher.
 */
function isOlder(one: AgentView, other: AgentView): boolean {
  if (one.version !== other.version) return one.version < other.version;
  // With equal versions of the agent, both have the same services.
  return one.services.some((service, index) => {
    const { version = 0, connection = null } = other.services[index] ?? {};
    if (service.version !== version) return service.version < version;
    return (service.connection?.tokenNumber ?? 0) < (connection?.tokenNumber ?? 0);
  });
}
