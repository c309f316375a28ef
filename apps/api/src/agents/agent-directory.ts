import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { AGENT_KEY_PREFIX } from '#contracts';
import type { JudgedBy } from '../audit/audit-log.js';
import type { EqualRequest } from '../audit/standing-denial.js';
import { hashAgentKey } from '../crypto/agent-keys.js';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import { SqlPool } from '../platform/fast-lane/sql-pool.js';
import { SERVICE_VIEW_SQL, toServiceView, type ServiceView, type ServiceViewJson } from '../services/service-view.js';

/** An agent with everything that decides about its requests, as one snapshot of the database. */
export interface AgentView {
  id: number;
  userId: number;
  name: string;
  keyPrefix: string;
  keyHash: string;
  /** In plain text, so that it can be redacted where upstreams echo it. Never logged, stored or shown. */
  key: string;
  isActive: boolean;
  /** The services in its scope. */
  services: readonly ServiceView[];
  /** Incremented by every change to the agent, to its scope, or to the base URL of a service in its scope. */
  version: number;
}

type AgentViewRow = Omit<AgentView, 'services' | 'key'> & { services: ServiceViewJson[] };

/** One statement, so that all parts and their versions come from one snapshot. */
const LOAD = `
  SELECT a.id, a.user_id AS "userId", a.name, a.key_prefix AS "keyPrefix", a.key_hash AS "keyHash", a.is_active AS "isActive",
    a.version::float8 AS version,
    (SELECT coalesce(json_agg(${SERVICE_VIEW_SQL} ORDER BY s.id), '[]')
     FROM agent_services x JOIN services s ON s.id = x.service_id WHERE x.agent_id = a.id) AS services
  FROM agents a WHERE a.key_hash = $1`;

const CACHE_MAX = 10_000;
/** `lastUsedAt` is written at most this often, for all agents together. */
const TOUCH_INTERVAL_MS = 1000;

/**
 * Finds agents by their keys, and caches them. A cached view can be stale, as no event invalidates it. But an audit record is written
 * only if the agent and the service still have the versions that the decision was based on, and nothing is forwarded without its
 * record. So no request is forwarded on a stale view: a request that finds its view stale loads it again. See
 * docs/reference/agent-api.md#freshness.
 */
@Injectable()
export class AgentDirectory {
  /** By key hash. */
  private readonly cache = new LRUCache<string, AgentView>({ max: CACHE_MAX });
  private readonly loading = new Map<string, Promise<AgentView>>();
  private readonly touched = new Set<number>();
  private touchedAtMs = -TOUCH_INTERVAL_MS;

  constructor(
    private readonly source: DataSource,
    private readonly sql: SqlPool,
    private readonly clock: Clock,
    private readonly background: BackgroundWork,
  ) {}

  /** Returns the active agent with this key, possibly from the cache. @throws ApiError 401 */
  async byKey(key: string): Promise<AgentView> {
    const hash = hashOf(key);
    const cached = this.cache.get(hash);
    if (cached) return cached;
    // After a change, many requests of one agent can arrive at the same time. They share one query.
    const loading = this.loading.get(hash) ?? this.load(hash, key).finally(() => this.loading.delete(hash));
    this.loading.set(hash, loading);
    return active(await loading);
  }

  /** Returns the active agent with this key, always from the database. @throws ApiError 401 */
  async freshByKey(key: string): Promise<AgentView> {
    return active(await this.load(hashOf(key), key));
  }

  /** Loads the agent again by the same key. @throws ApiError 401 */
  async latest({ keyHash, key }: AgentView): Promise<AgentView> {
    return active(await this.load(keyHash, key));
  }

  /**
   * Returns a newer view of the agent after `view` turned out to be stale. If another request has already loaded a newer one, returns
   * that.
   * @throws ApiError 401
   */
  async refresh(view: AgentView): Promise<AgentView> {
    const cached = this.cache.get(view.keyHash);
    if (cached !== undefined && isOlder(view, cached)) return cached;
    return this.latest(view);
  }

  /** Records that the agent was used, in the background. */
  touch(agentId: number): void {
    const isFirst = this.touched.size === 0;
    this.touched.add(agentId);
    if (isFirst) this.background.run('agents last used', () => this.saveTouched());
  }

  private async load(hash: string, key: string): Promise<AgentView> {
    const { rows } = await this.sql.prepared<AgentViewRow>('agent_view', LOAD, [hash]);
    if (rows.length === 0) {
      this.cache.delete(hash);
      throw errors.unknownAgentKey();
    }
    const view: AgentView = { ...rows[0], key, services: rows[0].services.map(toServiceView) };
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
    const ids = [...this.touched];
    this.touched.clear();
    this.touchedAtMs = this.clock.monotonicMs();
    // Skips locked rows, so that two instances can't block each other.
    await this.source.query(
      `UPDATE agents SET last_used_at = $2 WHERE id IN
         (SELECT id FROM agents WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)`,
      [ids, this.clock.now()],
    );
  }
}

function hashOf(key: string): string {
  if (!key.startsWith(AGENT_KEY_PREFIX)) throw errors.malformedAgentKey();
  return hashAgentKey(key);
}

/** Compares two views of one agent. Each is a snapshot of the database, so the older one has no version that is higher. */
function isOlder(one: AgentView, other: AgentView): boolean {
  if (one.version !== other.version) return one.version < other.version;
  // With equal versions of the agent, both have the same services.
  return one.services.some((service, index) => {
    const { version = 0, connection = null } = other.services[index] ?? {};
    if (service.version !== version) return service.version < version;
    return (service.connection?.tokenNumber ?? 0) < (connection?.tokenNumber ?? 0);
  });
}

/**
 * The conditions that must still hold when the record of a request is written.
 * @param service null if no service was resolved
 * @param equal only for a request that will be forwarded
 */
export function judgedBy(agent: AgentView, service: ServiceView | null, equal?: EqualRequest): JudgedBy {
  return {
    agentVersion: agent.version,
    serviceVersion: service === null ? null : service.version,
    tokenNumber: service?.connection?.tokenNumber ?? null,
    equal,
  };
}

function active(view: AgentView): AgentView {
  if (!view.isActive) throw errors.revokedAgentKey();
  return view;
}
