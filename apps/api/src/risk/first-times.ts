import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { AuditLog } from '../audit/audit-log.js';
import { OperationIndex } from '../documentation/operation-index.js';
import type { DescribedOperation } from '../effects/described-operation.js';
import type { MethodStatement } from '../request-reading/request-methods.js';
import type { ServiceView } from '../service-view/service-view.js';
import { operationKeys } from './operation-keys.js';

/** Known operations in memory: about 15 MB. */
const IN_MEMORY_MAX = 100_000;
/** The most records of an agent that one question reads: about 50 ms. */
const RECORDS_MAX = 20_000;

const KNOWN = `
  SELECT $3 <@ ARRAY(SELECT operation FROM agent_operations WHERE agent_id = $1 AND service_id = $2 AND operation = ANY ($3)) AS known,
    (SELECT record_id FROM learnt_operations WHERE agent_id = $1 AND service_id = $2) AS "learntTo"`;

/** Most operations that are remembered of an agent at a service. What comes then stays a first time. */
const OPERATIONS_MAX = 10_000;

/** The agent or the service may have been deleted since. $4: the most that are remembered. */
const ADD = `
  INSERT INTO agent_operations (agent_id, service_id, operation)
  SELECT a.id, s.id, unnest($3::text[]) FROM agents a, services s
  WHERE a.id = $1 AND s.id = $2 AND (SELECT count(*) FROM agent_operations WHERE agent_id = $1 AND service_id = $2) < $4
  ON CONFLICT DO NOTHING`;

const LEARNT_TO = `
  INSERT INTO learnt_operations (agent_id, service_id, record_id)
  SELECT a.id, s.id, $3::uuid FROM agents a, services s WHERE a.id = $1 AND s.id = $2
  ON CONFLICT (agent_id, service_id) DO UPDATE SET record_id = greatest(learnt_operations.record_id, excluded.record_id)`;

/**
 * Knows whether an agent does something for the first time: whether this operation was never sent for it. It learns from
 * the record, also what was sent before anybody asked. What an instance does not know, it asks the database once. After a
 * crash, an operation may count as new once more.
 */
@Injectable()
export class FirstTimes {
  private readonly known = new LRUCache<string, true>({ max: IN_MEMORY_MAX });
  /** What is being learnt, by agent and service. Questions at once share it. */
  private readonly learning = new Map<string, Promise<void>>();

  constructor(
    private readonly source: DataSource,
    private readonly operations: OperationIndex,
    private readonly audit: AuditLog,
  ) {}

  /** Undefined: only the database can tell. */
  inMemory(
    agentId: number,
    service: ServiceView,
    request: MethodStatement,
    operation: DescribedOperation | null,
  ): false | undefined {
    const keys = operationKeys(request, service.baseUrl, operation);
    return keys?.every((key) => this.known.has(place(agentId, service.id, key))) ? false : undefined;
  }

  /** Whether one of the operations that the request calls is new for the agent. */
  async isFirst(
    agentId: number,
    service: ServiceView,
    request: MethodStatement,
    operation: DescribedOperation | null,
  ): Promise<boolean> {
    const keys = operationKeys(request, service.baseUrl, operation);
    if (keys === null) return true;
    const [{ known, learntTo }] = await this.read(agentId, service.id, keys);
    if (!known) await this.learnOnce(agentId, service, learntTo);
    const isKnown = known || (await this.read(agentId, service.id, keys))[0].known;
    if (isKnown) this.keep(agentId, service.id, keys);
    return !isKnown;
  }

  /**
   * Remembers what was sent. The record does not contain the methods and tools of JSON-RPC. This instance knows it at
   * once.
   */
  async remember(
    agentId: number,
    service: ServiceView,
    request: MethodStatement,
    operation: DescribedOperation | null,
  ): Promise<void> {
    const keys = operationKeys(request, service.baseUrl, operation);
    if (keys === null || keys.every((key) => this.known.has(place(agentId, service.id, key)))) return;
    this.keep(agentId, service.id, keys);
    await this.source.query(ADD, [agentId, service.id, keys, OPERATIONS_MAX]);
  }

  private read(
    agentId: number,
    serviceId: number,
    keys: readonly string[],
  ): Promise<[{ known: boolean; learntTo: string | null }]> {
    return this.source.query(KNOWN, [agentId, serviceId, keys]);
  }

  private learnOnce(agentId: number, service: ServiceView, learntTo: string | null): Promise<void> {
    const of = `${agentId}/${service.id}`;
    const running = this.learning.get(of);
    if (running !== undefined) return running;
    const started = this.learnAlone(of, agentId, service, learntTo);
    this.learning.set(of, started);
    return started;
  }

  private async learnAlone(of: string, agentId: number, service: ServiceView, learntTo: string | null): Promise<void> {
    try {
      await this.learn(agentId, service, learntTo);
    } finally {
      this.learning.delete(of);
    }
  }

  /** Learns what the agent's latest records say. Instances that learn at once learn the same. */
  private async learn(agentId: number, service: ServiceView, learntTo: string | null): Promise<void> {
    const { readTo, sent } = await this.audit.sentRequests(agentId, service.id, { after: learntTo, max: RECORDS_MAX });
    if (readTo === null) return;
    const keys = new Set<string>();
    for (const { method, url: targetUrl } of sent) {
      const request = { method, targetUrl, headers: {}, body: null };
      const operation = await this.operations.describe(service, request);
      for (const key of operationKeys(request, service.baseUrl, operation) ?? []) keys.add(key);
    }
    if (keys.size > 0) await this.source.query(ADD, [agentId, service.id, [...keys], OPERATIONS_MAX]);
    await this.source.query(LEARNT_TO, [agentId, service.id, readTo]);
  }

  private keep(agentId: number, serviceId: number, keys: readonly string[]): void {
    for (const key of keys) this.known.set(place(agentId, serviceId, key), true);
  }
}

const place = (agentId: number, serviceId: number, key: string): string => `${agentId}/${serviceId}/${key}`;
