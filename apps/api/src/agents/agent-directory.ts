import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AGENT_KEY_PREFIX } from '#contracts';
import { hashAgentKey } from '../crypto/agent-keys.js';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import { SqlPool } from '../platform/sql-pool.js';
import { SERVICE_VIEW_SQL, toServiceView, type ServiceView, type ServiceViewJson } from '../services/service-view.js';

/** An agent and all that its requests are judged by, from one moment of the database. */
export interface AgentView {
  id: number;
  userId: number;
  name: string;
  keyPrefix: string;
  keyHash: string;
  /** In the clear, to be taken out of what upstreams echo. Never logged, stored or shown. */
  key: string;
  isActive: boolean;
  /** Its scope. */
  services: readonly ServiceView[];
  /** The version of the configuration that this is a part of. */
  epoch: string;
}

type AgentViewRow = Omit<AgentView, 'services' | 'key'> & { services: ServiceViewJson[] };

/** One statement, so that all parts and the epoch are from one snapshot. */
const LOAD = `
  SELECT a.id, a.user_id AS "userId", a.name, a.key_prefix AS "keyPrefix", a.key_hash AS "keyHash", a.is_active AS "isActive",
    (SELECT epoch::text FROM config_epoch) AS epoch,
    (SELECT coalesce(json_agg(${SERVICE_VIEW_SQL} ORDER BY s.id), '[]')
     FROM agent_services x JOIN services s ON s.id = x.service_id WHERE x.agent_id = a.id) AS services
  FROM agents a WHERE a.key_hash = $1`;

const CACHE_MAX = 10_000;
/** `lastUsedAt` is written at most this often, for all agents together. */
const TOUCH_INTERVAL_MS = 1000;

/**
 * Finds agents by their keys. Views are kept until the configuration changes; since every audit record is written under
 * the epoch it was judged by, nothing is forwarded by a view that has become stale.
 */
@Injectable()
export class AgentDirectory {
  /** By key hash, in the order of loading; all of one epoch. */
  private readonly cache = new Map<string, AgentView>();
  private epoch = '0';
  private readonly loading = new Map<string, Promise<AgentView>>();
  private readonly touched = new Set<number>();
  private touchedAtMs = -TOUCH_INTERVAL_MS;

  constructor(
    private readonly source: DataSource,
    private readonly sql: SqlPool,
    private readonly clock: Clock,
    private readonly background: BackgroundWork,
  ) {}

  /** The active agent with this key, perhaps as it was a moment ago. @throws ApiError 401 */
  async byKey(key: string): Promise<AgentView> {
    const hash = hashOf(key);
    const cached = this.cache.get(hash);
    if (cached) return cached;
    // After a change many requests of one agent come at once; one of them asks.
    const loading = this.loading.get(hash) ?? this.load(hash, key).finally(() => this.loading.delete(hash));
    this.loading.set(hash, loading);
    return active(await loading);
  }

  /** The active agent with this key, as the database has it now. @throws ApiError 401 */
  async freshByKey(key: string): Promise<AgentView> {
    return active(await this.load(hashOf(key), key));
  }

  /** The same agent, by the same key, as the database has it now. @throws ApiError 401 */
  async refresh(agent: AgentView): Promise<AgentView> {
    return active(await this.load(agent.keyHash, agent.key));
  }

  /**
   * Tells of an epoch that a statement has met. A newer one empties the cache.
   * @returns whether it is newer than what was cached
   */
  observeEpoch(epoch: string): boolean {
    if (epoch === this.epoch || BigInt(epoch) < BigInt(this.epoch)) return false;
    this.epoch = epoch;
    this.cache.clear();
    return true;
  }

  /** Notes that the agent was used; nobody waits for it. */
  touch(agentId: number): void {
    const isFirst = this.touched.size === 0;
    this.touched.add(agentId);
    if (isFirst) this.background.run('agents last used', () => this.saveTouched());
  }

  private async load(hash: string, key: string): Promise<AgentView> {
    const { rows } = await this.sql.prepared<AgentViewRow>('agent_view', LOAD, [hash]);
    if (rows.length === 0) throw errors.unknownAgentKey();
    const view: AgentView = { ...rows[0], key, services: rows[0].services.map(toServiceView) };
    this.observeEpoch(view.epoch);
    // Not of an older one: a slow answer must not bring back what a faster one has replaced.
    if (view.isActive && view.epoch === this.epoch) this.keep(hash, view);
    return view;
  }

  private keep(hash: string, view: AgentView): void {
    if (this.cache.size >= CACHE_MAX) {
      const [oldest] = this.cache.keys();
      this.cache.delete(oldest);
    }
    this.cache.set(hash, view);
  }

  private async saveTouched(): Promise<void> {
    const waitMs = this.touchedAtMs + TOUCH_INTERVAL_MS - this.clock.monotonicMs();
    if (waitMs > 0) await delay(waitMs);
    const ids = [...this.touched];
    this.touched.clear();
    this.touchedAtMs = this.clock.monotonicMs();
    // Rows that somebody else holds are skipped: they wait for no one, and so two instances can't block each other.
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

function active(view: AgentView): AgentView {
  if (!view.isActive) throw errors.revokedAgentKey();
  return view;
}
