import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RiskConfig } from '../platform/config.js';
import type { HeldVerdict } from '../risk/risk-verdict.js';
import { FAILURE_MARGIN } from '../risk/score.js';

/** A claimed assessment. */
export interface ClaimedAssessment {
  id: string;
  agentId: number;
  /** Identifies the claim. */
  attempt: number;
  isLarge: boolean;
}

/** Of requests with more bytes, a process assesses one at a time, because their bodies are in memory. */
const LARGE_BYTES = 1024 * 1024;
/** A process that dies during an assessment may die of it. */
const ATTEMPTS = 3;
/** Beyond the time of the model, for the database and long bodies. */
const MARGIN_SECONDS = 60;

/** The index `actions_assessments_idx` has these rows. */
const PENDING = `assessment_state = 'pending' AND status = 'PENDING'`;
const OPEN = `${PENDING} AND expires_at > clock_timestamp() AND service_id IS NOT NULL AND assess_attempts < ${ATTEMPTS}`;

/**
 * The oldest of the agent that waits longest. $1 agents that are left out, $2 whether large requests are left out, $3 for
 * how many seconds the claim holds. A row that is locked by a decision or another instance is left out too. The index is
 * asked for one agent after the other, because one agent can have thousands of rows.
 */
const CLAIM = `
  WITH RECURSIVE waiting AS (
    (SELECT agent_id FROM actions WHERE ${PENDING} ORDER BY agent_id LIMIT 1)
    UNION ALL
    SELECT (SELECT a.agent_id FROM actions a WHERE ${PENDING} AND a.agent_id > w.agent_id ORDER BY a.agent_id LIMIT 1)
    FROM waiting w WHERE w.agent_id IS NOT NULL),
  oldest AS MATERIALIZED (
    SELECT first.id, first.created_at FROM waiting w CROSS JOIN LATERAL (
      SELECT id, created_at FROM actions
      WHERE agent_id = w.agent_id AND ${OPEN} AND assess_after <= clock_timestamp()
        AND NOT ($2 AND coalesce(held_bytes, 0) > ${LARGE_BYTES})
      ORDER BY created_at, id LIMIT 1) first
    WHERE w.agent_id <> ALL ($1::int[])),
  next AS (
    SELECT a.id FROM actions a JOIN oldest o ON o.id = a.id
    WHERE a.assessment_state = 'pending' AND a.status = 'PENDING' AND a.assess_after <= clock_timestamp()
    ORDER BY o.created_at, o.id LIMIT 1 FOR NO KEY UPDATE OF a SKIP LOCKED)
  UPDATE actions SET assess_after = clock_timestamp() + make_interval(secs => $3), assess_attempts = assess_attempts + 1
  FROM next WHERE actions.id = next.id
  RETURNING actions.id, agent_id AS "agentId", assess_attempts AS attempt, coalesce(held_bytes, 0) > ${LARGE_BYTES} AS "isLarge"`;

/** Only the holder of the claim stores, and only about an action that nobody has decided. The score never falls. */
const STORE = `
  UPDATE actions SET assessment_state = $3, assessment_scores = assessment_scores || jsonb_build_object('model', $4::float8),
    risk_score = greatest(risk_score, $5), risk_explanation = $6, assess_after = NULL
  WHERE id = $1 AND assess_attempts = $2 AND ${PENDING} AND expires_at > clock_timestamp()`;

/** Those that nobody can assess, or that were tried too often. Their score is that of a failure of the model. */
const GIVE_UP = `
  UPDATE actions SET assessment_state = 'failed', assess_after = NULL,
    risk_score = greatest(risk_score, least(1, round(((assessment_scores->>'method')::float8 + ${FAILURE_MARGIN})::numeric, 4)))
  WHERE ${PENDING} AND (agent_id IS NULL OR service_id IS NULL OR assess_attempts >= ${ATTEMPTS} AND assess_after <= clock_timestamp())`;

/**
 * The assessments that held requests wait for: a queue in the rows of the actions. The database's clock ends claims, so what
 * a dead process has left is claimed again.
 */
@Injectable()
export class PendingAssessments {
  private readonly claimSeconds: number;

  constructor(
    private readonly source: DataSource,
    config: RiskConfig,
  ) {
    this.claimSeconds = config.llmTimeoutMs / 1000 + MARGIN_SECONDS;
  }

  /** @returns null if nothing is due */
  async claim(busyAgents: readonly number[], withoutLarge: boolean): Promise<ClaimedAssessment | null> {
    const values = [busyAgents, withoutLarge, this.claimSeconds];
    const [rows]: [ClaimedAssessment[], number] = await this.source.query(CLAIM, values);
    return rows.at(0) ?? null;
  }

  /** @param heldBecause the explanation so far: why the request is held */
  async store({ id, attempt }: ClaimedAssessment, heldBecause: string, verdict: HeldVerdict): Promise<void> {
    const { llmScore, score, explanation } = verdict;
    const state = llmScore === null ? 'failed' : 'done';
    await this.source.query(STORE, [id, attempt, state, llmScore, score, `${sentence(heldBecause)} ${explanation}`]);
  }

  async giveUp(): Promise<void> {
    await this.source.query(GIVE_UP);
  }
}

const sentence = (text: string): string => (/[.!?”]$/.test(text) ? text : `${text}.`);
