import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { IDEMPOTENCY_TTL_HOURS, type HttpMethod } from '#contracts';
import { IdempotencyRecordEntity, inTransaction, sqlState, type ActionEntity } from '#database';
import type { Answer } from '../egress/answer.js';
import { storedAnswer } from '../approvals/stored-answer.js';
import type { AgentView } from '../agents/agent-directory.js';
import type { AnswerRoom } from '../agents/answer-room.js';
import { StaleConfiguration } from '../agents/stale-configuration.js';
import { allowedAt } from '../approvals/request-records.js';
import { AuditLog } from '../audit/audit-log.js';
import type { EqualRequest } from '../approvals/standing-denial.js';
import { toRow, type NewAuditRecord } from '../audit/audit-record.js';
import { Metrics } from '../observability/metrics.js';
import { ApprovalsConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { GroupCommit } from '../platform/group-commit.js';
import { retry, SHORT_OUTAGE } from '../platform/retry.js';
import { SqlPool } from '../platform/fast-lane/sql-pool.js';
import { toCounted, toNeeds, type CountedRow, type RequestToCount } from '../risk/limits/counting.js';
import type { LimitState, LimitToCount } from '../risk/limits/limit-to-count.js';
import type { ServiceView } from '../service-view/service-view.js';
import { IdempotencySettlement } from './idempotency-settlement.js';
import {
  answerColumns,
  CLAIM,
  CLAIM_COUNTED,
  COMPLETE,
  COMPLETE_BATCH,
  EXPIRE_ACTION,
  FAIL,
  RENEW,
  TAKE_OVER,
} from './idempotency-statements.js';
import { readBoundAction, readKey } from './taken-keys.js';

const FOREIGN_KEY_VIOLATION = '23503';

/** The right to act under an idempotency key. */
export interface Claim {
  /** Also the id of the audit record. */
  claimId: string;
  /** The audit record was written with the claim. */
  recorded: boolean;
  /** The limits of the request as this claim found them. If it is not recorded, it does not fit into one of them. */
  limits?: LimitState[];
}

interface KeyedRequest {
  agent: AgentView;
  key: string;
  method: HttpMethod;
  targetUrl: string;
  hash: string;
  /** The memory for an answer that is stored. */
  room: AnswerRoom | null;
}

type ClaimRequest = KeyedRequest & { claimId: string; ahead: RecordAhead | null };

interface Completion {
  agentId: number;
  key: string;
  claimId: string;
  /** The service that gave the answer. */
  serviceId: number | null;
  answer: Answer;
}

/** `stale`: the agent has changed. `taken`: another request has the key. */
type ClaimState = { state: 'claimed'; recorded: boolean; limits?: LimitState[] } | { state: 'stale' | 'taken' };

type ClaimResult =
  /** Only the caller may act. */
  | { kind: 'claimed'; claim: Claim }
  | { kind: 'replay'; answer: Answer; via: 'forwarded' | 'executed-approved' }
  | { kind: 'held'; action: ActionEntity };

/** An audit record to write with the claim, under the version of the service that its request was assessed by. */
export interface RecordAhead {
  service: ServiceView;
  equal: EqualRequest;
  limits: readonly LimitToCount[];
  record: (claimId: string) => NewAuditRecord;
}

/** Larger answers are stored one by one, as bytes. */
const BATCHED_BODY_MAX_BYTES = 32 * 1024;

/**
 * Idempotency records: one key, one upstream call, at any concurrency and over several instances
 * (docs/reference/idempotency.md#claim).
 */
@Injectable()
export class IdempotencyStore {
  private readonly claims = new GroupCommit<ClaimRequest, ClaimState>((batch) => this.claimBatch(batch));
  /** Of their own, because they may wait for a counter that another instance has locked. */
  private readonly countedClaims = new GroupCommit<ClaimRequest, ClaimState>((batch) => this.claimCounted(batch));
  private readonly completions = new GroupCommit<Completion, void>(
    (batch) => this.completeBatch(batch),
    countAnswerBytes,
  );

  constructor(
    private readonly source: DataSource,
    private readonly sql: SqlPool,
    private readonly audit: AuditLog,
    private readonly settlement: IdempotencySettlement,
    private readonly approvals: ApprovalsConfig,
    private readonly metrics: Metrics,
  ) {}

  /**
   * @param ahead the audit record, if it can be written with the claim
   * @throws 404 when the answer came from a service that the agent may no longer use, 409 while another request has the
   * key, 422 when it was used for a different request, StaleConfiguration
   */
  async claim(request: KeyedRequest, ahead: RecordAhead | null): Promise<ClaimResult> {
    // Another attempt is needed only if somebody else changed the key between two statements.
    for (let turn = 0; turn < 4; turn++) {
      const claimId = this.audit.newId();
      const claims = ahead === null || ahead.limits.length === 0 ? this.claims : this.countedClaims;
      const claim = await claims
        .add({ ...request, claimId, ahead })
        .catch((error: unknown) => this.whenAgentIsGone(error));
      if (claim.state === 'claimed') {
        const { recorded, limits } = claim;
        return { kind: 'claimed', claim: { claimId, recorded, limits } };
      }
      if (claim.state === 'stale') throw new StaleConfiguration();
      const found = await this.inspect(request);
      if (found !== null) return found;
    }
    throw errors.keyInUse();
  }

  /** The agent was deleted between the comparison of its version and the insert. */
  private whenAgentIsGone(error: unknown): never {
    if (sqlState(error) === FOREIGN_KEY_VIOLATION) throw new StaleConfiguration();
    throw error;
  }

  private async claimBatch(batch: ClaimRequest[]): Promise<ClaimState[]> {
    const values = this.claimValues(firstOfEachKey(batch));
    const { rows } = await this.sql.prepared<ClaimsRow>('idempotency_claim', CLAIM, values);
    return claimStates(batch, rows[0]);
  }

  private async claimCounted(batch: ClaimRequest[]): Promise<ClaimState[]> {
    const given = firstOfEachKey(batch);
    const requests = given.flatMap(toCount);
    const { rows } = await this.sql.prepared<ClaimsRow & { counted: CountedRow[] | null }>(
      'idempotency_claim_counted',
      CLAIM_COUNTED,
      [...this.claimValues(given), toNeeds(requests)],
    );
    const counted = toCounted(rows[0].counted, requests);
    return claimStates(batch, rows[0]).map((state, index) => {
      const found = counted.get(batch[index].claimId);
      // A request that is stale is counted, and found stale, with its record.
      return found === undefined || found.state === 'stale' ? state : { ...state, limits: found.limits };
    });
  }

  private claimValues(given: ClaimRequest[]): unknown[] {
    return [
      JSON.stringify(given.map(({ claimId, ahead }) => (ahead === null ? {} : toRow(ahead.record(claimId))))),
      IDEMPOTENCY_TTL_HOURS,
      this.approvals.denialHoldsHours,
      given.map(({ agent }) => agent.id),
      given.map(({ agent }) => agent.version),
      given.map(({ key }) => key),
      given.map(({ hash }) => hash),
      given.map(({ method }) => method),
      given.map(({ claimId }) => claimId),
      given.map(({ ahead }) => ahead?.service.version),
      given.map(({ ahead }) => ahead?.equal.targetHash),
      given.map(({ ahead }) => allowedAt(ahead?.equal)),
      given.map(({ ahead }) => ahead?.service.connection?.tokenNumber),
      given.map(({ ahead }) => ahead?.service.connection && 'renewal'),
    ];
  }

  /** Expires the action first, in the same transaction, so that it can't be executed besides the new request. */
  private takeOver(request: KeyedRequest, over: IdempotencyRecordEntity): Promise<Claim | null> {
    const claimId = this.audit.newId();
    return inTransaction(this.source, async (tx) => {
      const [, expired]: [unknown, number] = await tx.query(EXPIRE_ACTION, [over.actionId]);
      this.metrics.actionsCameTo('expired', expired);
      const [, count]: [unknown, number] = await tx.query(TAKE_OVER, [
        IDEMPOTENCY_TTL_HOURS,
        request.agent.id,
        request.key,
        over.actionId,
        over.claimId,
        request.hash,
        request.method,
        claimId,
      ]);
      return count === 1 ? { claimId, recorded: false } : null;
    });
  }

  /** Finds out why the key is taken. Null: it is free again. @throws StaleConfiguration when the agent has changed */
  private async inspect(request: KeyedRequest): Promise<ClaimResult | null> {
    const { agent, key } = request;
    const read = () => readKey(this.source, agent, key, this.settlement.staleMs);
    const taken = await (request.room === null ? read() : request.room.reading(read, (found) => found?.record));
    if (taken === null || taken.record.status === 'failed') return null;
    const { record, found } = taken;
    if (!found.isCurrent) throw new StaleConfiguration();
    if (record.actionId !== null) return this.inspectBound(request, record, record.actionId);
    if (found.isOver) return null;
    if (record.requestHash !== request.hash) throw errors.keyReused();
    if (record.status === 'completed') {
      if (!found.inScope) throw errors.noServiceForTarget();
      if (found.paused !== null) throw errors.paused(found.paused);
      return { kind: 'replay', via: 'forwarded', answer: toAnswer(record) };
    }
    if (!found.isAbandoned) throw errors.keyInUse();
    await this.settlement.settle(record, agent, request.targetUrl);
    return null;
  }

  /** The key of a held request stays bound to the action until the action is denied or has expired. */
  private async inspectBound(
    request: KeyedRequest,
    record: IdempotencyRecordEntity,
    actionId: string,
  ): Promise<ClaimResult | null> {
    const { agent, room } = request;
    const read = () => readBoundAction(this.source, agent, actionId);
    const bound = await (room === null ? read() : room.reading(read, (found) => found?.action));
    const status = bound?.action.effectiveStatus ?? 'EXPIRED';
    if (
      bound === null ||
      status === 'DENIED' ||
      status === 'EXPIRED' ||
      (status === 'EXECUTED' && bound.found.isOver)
    ) {
      const claim = await this.takeOver(request, record);
      return claim && { kind: 'claimed', claim };
    }
    const { action, found } = bound;
    if (!found.isCurrent) throw new StaleConfiguration();
    if (record.requestHash !== request.hash) throw errors.keyReused();
    if (!found.inScope) throw errors.noServiceForTarget();
    if (found.paused !== null) throw errors.paused(found.paused);
    if (status !== 'EXECUTED') return { kind: 'held', action };
    return { kind: 'replay', via: 'executed-approved', answer: storedAnswer(action) };
  }

  /**
   * Stores the answer before the agent gets it. The request was sent already, so this retries during a short outage of
   * the database.
   */
  complete(completion: Completion): Promise<void> {
    return retry(() => this.store(completion), SHORT_OUTAGE);
  }

  /** Nothing was sent: the same key may be tried again. */
  async fail(agentId: number, key: string, claimId: string): Promise<void> {
    await this.sql.prepared('idempotency_fail', FAIL, [agentId, key, claimId]);
  }

  /**
   * Keeps the claim of a request whose answer still arrives, so that it is not settled as one that a crash has left.
   */
  async renew(agentId: number, key: string, claimId: string): Promise<void> {
    await this.sql.prepared('idempotency_renew', RENEW, [agentId, key, claimId]);
  }

  /** Binds the key to the action that its request became, in the transaction that queues it. @throws 409 */
  async bind(
    tx: EntityManager,
    { agentId, key, claimId, serviceId }: Omit<Completion, 'answer'>,
    actionId: string,
  ): Promise<void> {
    const result = await tx.update(
      IdempotencyRecordEntity,
      { agentId, key, claimId, status: 'processing' },
      { actionId, serviceId },
    );
    if (result.affected !== 1) throw errors.requestGivenUp();
  }

  /** Moves the keys of an action to its revision, in the transaction that revises it. */
  async moveTo(tx: EntityManager, actionId: string, revisionId: string): Promise<void> {
    await tx.update(IdempotencyRecordEntity, { actionId }, { actionId: revisionId });
  }

  private async store(completion: Completion): Promise<void> {
    const { agentId, key, claimId, serviceId, answer } = completion;
    if (answer.body.length <= BATCHED_BODY_MAX_BYTES) {
      await this.completions.add(completion);
    } else {
      const values = [agentId, key, claimId, serviceId, ...answerColumns(answer)];
      await this.sql.prepared('idempotency_complete', COMPLETE, values);
    }
  }

  private async completeBatch(batch: Completion[]): Promise<void[]> {
    const given = batch.map(({ agentId, key, claimId, serviceId, answer }) => ({
      agent_id: agentId,
      key,
      claim_id: claimId,
      service_id: serviceId,
      from_upstream: answer.fromUpstream,
      status: answer.status,
      headers: answer.headers,
      body: answer.body.toString('base64'),
    }));
    await this.sql.prepared('idempotency_complete_batch', COMPLETE_BATCH, [JSON.stringify(given)]);
    return batch.map(() => undefined);
  }
}

type Ids = string[] | null;
interface ClaimsRow {
  claimed: Ids;
  recorded: Ids;
  stale: Ids;
}

/** One statement can claim a key once. A second request of the batch with the same key finds it taken. */
function firstOfEachKey(batch: ClaimRequest[]): ClaimRequest[] {
  const first = new Map(batch.map((request) => [`${request.agent.id} ${request.key}`, request] as const).reverse());
  return [...first.values()];
}

function claimStates(batch: ClaimRequest[], row: ClaimsRow): ClaimState[] {
  const [claimed, recorded, stale] = [row.claimed, row.recorded, row.stale].map((ids) => new Set(ids));
  return batch.map(({ claimId }) => {
    if (claimed.has(claimId)) return { state: 'claimed', recorded: recorded.has(claimId) };
    return { state: stale.has(claimId) ? 'stale' : 'taken' };
  });
}

const toCount = ({ agent, claimId, ahead }: ClaimRequest): RequestToCount[] =>
  ahead === null
    ? []
    : [{ recordId: claimId, agent, service: ahead.service, isExecution: false, limits: ahead.limits }];

const countAnswerBytes = ({ answer }: Completion): number =>
  answer.headers.reduce((size, [name, value]) => size + name.length + value.length, answer.body.length);

function toAnswer(record: IdempotencyRecordEntity): Answer {
  return {
    fromUpstream: record.responseFromUpstream ?? true,
    status: record.responseStatus ?? 502,
    headers: record.responseHeaders ?? [],
    body: record.responseBody ?? Buffer.alloc(0),
  };
}
