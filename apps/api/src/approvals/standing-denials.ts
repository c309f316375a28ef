import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { allowedAt } from './request-records.js';
import { isNotCountingSql, standingDenial, type EqualRequest } from './standing-denial.js';
import { ApprovalsConfig } from '../platform/config.js';
import type { RiskVerdict } from '../risk/risk-verdict.js';

/** An equal request that a person was asked to decide. */
interface Repeated {
  id: string;
  status: 'PENDING' | 'DENIED';
  resolvedByName: string | null;
}

/** What identifies a request where equal ones are looked for. */
export interface Repeatable {
  targetHash: string;
  denialHashes: string[];
}

/** Earlier decisions about equal requests. */
@Injectable()
export class StandingDenials {
  constructor(
    private readonly source: DataSource,
    private readonly config: ApprovalsConfig,
  ) {}

  /**
   * The latest equal request of the agent that is pending, or denied so recently that the denial still applies. A later
   * approval or an `allow` rule is not checked here: the statement that writes the record checks it.
   */
  async repeated(
    tx: EntityManager,
    agentId: number,
    { targetHash, denialHashes }: Repeatable,
  ): Promise<Repeated | null> {
    const rows: Repeated[] = await tx.query(
      `SELECT id, CASE status WHEN 'DENIED' THEN status ELSE 'PENDING' END AS status, resolved_by_name AS "resolvedByName" FROM actions
       WHERE agent_id = $1 AND target_hash = $2 AND denial_hashes && $4 AND ((status = 'PENDING' AND expires_at > now())
         OR ${isNotCountingSql('actions')} OR (status = 'DENIED' AND resolved_at > now() - make_interval(hours => $3)))
       ORDER BY coalesce(resolved_at, created_at) DESC LIMIT 1`,
      [agentId, targetHash, this.config.denialHoldsHours, denialHashes],
    );
    return rows[0] ?? null;
  }

  /** For a dry run. @returns the verdict, changed to hold if a denial of an equal request stands */
  async unlessDenied(
    agentId: number,
    verdict: RiskVerdict,
    equal: EqualRequest & { hashes: string[] },
  ): Promise<RiskVerdict> {
    const { manager } = this.source;
    const [{ isDenied }]: { isDenied: boolean }[] = await manager.query(
      `SELECT ${standingDenial('r', '$4', 'r.denial_hashes')} AS "isDenied"
       FROM (SELECT $1::int AS agent_id, $2::text AS target_hash, $3::timestamptz AS allowed_at, $5::text AS denial_hashes) r`,
      [agentId, equal.targetHash, allowedAt(equal), this.config.denialHoldsHours, equal.hashes.join()],
    );
    if (!isDenied) return verdict;
    return {
      ...withReason(verdict, await this.repeated(manager, agentId, { ...equal, denialHashes: equal.hashes })),
      decision: 'hold',
    };
  }
}

/** Adds the reason to the explanation if the verdict alone would have forwarded the request. */
export function withReason(verdict: RiskVerdict, repeated: Repeated | null): RiskVerdict {
  if (verdict.decision !== 'forward') return verdict;
  const reason =
    repeated?.status === 'DENIED'
      ? `${repeated.resolvedByName ?? 'A person'} denied the same request before, so a person must decide again.`
      : 'The same request is already waiting for a decision, so this one is held too.';
  return { ...verdict, explanation: `${reason} ${verdict.explanation}` };
}
