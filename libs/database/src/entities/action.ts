import type { RequestEffect } from '#contracts/risk';
import type { ActionStatus, AssessmentState, HttpMethod, RiskSource } from '#contracts/states';
import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import { askersSql } from '../agent-makers.js';

/** The status as it is now: nobody may have stored yet that its time is over. */
export const effectiveStatusSql = (a: string): string => `CASE
  WHEN ${a}.status = 'PENDING' AND ${a}.expires_at <= clock_timestamp() THEN 'EXPIRED'
  WHEN ${a}.status = 'APPROVED' AND ${a}.claim_id IS NULL AND ${a}.approval_expires_at <= clock_timestamp() THEN 'EXPIRED'
  ELSE ${a}.status END`;

/** What agents are told: an approval that does not count yet is no decision. */
const agentStatusSql = (a: string): string => `CASE
  WHEN ${a}.status = 'APPROVED' AND ${a}.counts_from > clock_timestamp() THEN 'PENDING'
  ELSE ${effectiveStatusSql(a)} END`;

/** From 0 to 1. */
export interface AssessmentScores {
  method: number;
  effects: number;
  /** Null: the model has given none. */
  model: number | null;
}

/** One approval of an action that may need several. */
export interface GivenApproval {
  id: number;
  name: string;
  /** ISO 8601. */
  at: string;
  note: string | null;
  /**
   * The base URL of the service at that moment. If it has changed, the approver did not see the request that would be
   * sent.
   */
  baseUrl: string;
}

/** A held request with its decision and result. Never contains credentials. */
@Entity('actions')
export class ActionEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('integer')
  workspaceId: number;

  /** null when the agent was deleted. */
  @Column('integer', { nullable: true })
  agentId: number | null;

  @Column('text')
  agentName: string;

  /** null when the service was deleted. */
  @Column('integer', { nullable: true })
  serviceId: number | null;

  @Column('text')
  serviceName: string;

  @Column('text')
  status: ActionStatus;

  /**
   * The current status. An action expires exactly on time, even before the job has stored the new status. The
   * database's clock decides, so that instances with different clocks agree.
   */
  @VirtualColumn('text', { query: effectiveStatusSql })
  effectiveStatus: ActionStatus;

  /** The current status for the agent. It differs while an approval does not count yet. */
  @VirtualColumn('text', { query: agentStatusSql })
  agentStatus: ActionStatus;

  @Column('text')
  method: HttpMethod;

  @Column('text')
  targetUrl: string;

  @Column('json')
  headers: Record<string, string>;

  /** The body as text, without its content codings. null if there is no body, or if it is not text. */
  @Column('text', { nullable: true })
  body: string | null;

  /** The bytes to send. null if the UTF-8 of `body` gives them. Not selected, because lists need no megabytes. */
  @Column('bytea', { nullable: true, select: false })
  bodyBytes?: Buffer | null;

  /** SHA-256 hex of `bodyBytes`. null if there are none. */
  @Column('char', { length: 64, nullable: true })
  bodyHash: string | null;

  @Column('char', { length: 64, nullable: true })
  dedupeHash: string | null;

  /** All requests that are one action while it waits have the same hash. */
  @Column('text', { nullable: true })
  equalHash: string | null;

  /** The place that the request goes to. */
  @Column('text', { nullable: true })
  targetHash: string | null;

  /** A denial of this action holds the requests that share one of these hashes. */
  @Column('text', { nullable: true, array: true })
  denialHashes: string[] | null;

  /** The equal action that was pending or denied when this one was queued. */
  @Column('uuid', { nullable: true })
  repeatsId: string | null;

  /** The current state of that action. */
  @VirtualColumn('json', {
    query: (
      a,
    ) => `SELECT json_build_object('id', o.id, 'status', ${effectiveStatusSql('o')}, 'resolvedAt', o.resolved_at,
      'resolvedBy', o.resolved_by, 'resolvedByName', o.resolved_by_name) FROM actions o WHERE o.id = ${a}.repeats_id`,
  })
  repeats: {
    id: string;
    status: ActionStatus;
    resolvedAt: string | null;
    resolvedBy: number | null;
    resolvedByName: string | null;
  } | null;

  @Column('text')
  intent: string;

  /** What the request does, without values of its query and body. Notifications and audit records have it. */
  @Column('text')
  summary: string;

  /** The same with the values that decide, for the people who may read the body. Null: an earlier version held it. */
  @Column('text', { nullable: true })
  headline: string | null;

  @Column('double precision')
  riskScore: number;

  @Column('text')
  riskExplanation: string;

  @Column('text')
  riskSource: RiskSource;

  /** What the request does. Null: an earlier version held it. */
  @Column('jsonb', { nullable: true })
  effects: RequestEffect[] | null;

  /** Whether the model has assessed the request. Null: an earlier version held it. */
  @Column('text', { nullable: true })
  assessmentState: AssessmentState | null;

  /** The scores that the risk score comes from. Null: an earlier version held it. */
  @Column('jsonb', { nullable: true })
  assessmentScores: AssessmentScores | null;

  /** When a pending assessment may be claimed. Null: it is not pending. */
  @Column('timestamptz', { nullable: true })
  assessAfter: Date | null;

  /** How often a pending assessment was claimed. The number identifies the claim. */
  @Column('smallint', { default: 0 })
  assessAttempts: number;

  /** Whether the agent gave no intent, and the gateway worded one. */
  @Column('boolean', { default: false })
  unstatedIntent: boolean;

  @Column('integer', { default: 1 })
  timesAsked: number;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;

  /** Milliseconds until `expiresAt`, by the database's clock. */
  @VirtualColumn('double precision', {
    query: (a) => `extract(epoch FROM ${a}.expires_at - clock_timestamp())::float8 * 1000`,
  })
  expiresInMs: number;

  /** How many people must approve. Fixed when the action is queued. */
  @Column('integer', { default: 1 })
  approvalsNeeded: number;

  /**
   * The people who may approve, if rules name them; null: everyone whose role allows it. Fixed when the action is
   * queued.
   */
  @Column('integer', { array: true, nullable: true })
  approverIds: number[] | null;

  /**
   * The approvals that were given. While the action is pending, some of them may no longer count. Once it is approved,
   * all of them counted.
   */
  @Column('jsonb', { default: '[]' })
  approvals: GivenApproval[];

  /** The people who could hold a working key of the agent when the action was queued. */
  @Column('integer', { array: true, default: '{}' })
  keyMakers: number[];

  /** Those, and the people who may hold one now (`askersSql`). An element is null if the account was deleted. */
  @VirtualColumn('json', { query: (a) => `SELECT to_json(${askersSql(a)})` })
  askers: (number | null)[];

  /** The action that this one revises. */
  @Column('uuid', { nullable: true })
  revises: string | null;

  /** The revision that a person made of this action. */
  @Column('uuid', { nullable: true })
  revisedAs: string | null;

  @Column('timestamptz', { nullable: true })
  resolvedAt: Date | null;

  @Column('integer', { nullable: true })
  resolvedBy: number | null;

  @Column('text', { nullable: true })
  resolvedByName: string | null;

  @Column('text', { nullable: true })
  resolutionNote: string | null;

  @Column('timestamptz', { nullable: true })
  approvalExpiresAt: Date | null;

  /** From when the approval counts. null: at once, or there is none. */
  @Column('timestamptz', { nullable: true })
  countsFrom: Date | null;

  /** Milliseconds until `countsFrom`, by the database's clock. */
  @VirtualColumn('double precision', {
    query: (a) => `extract(epoch FROM ${a}.counts_from - clock_timestamp())::float8 * 1000`,
  })
  countsInMs: number | null;

  /** The digest that was approved. null before the approval, and for approvals by a version that stored none. */
  @Column('char', { length: 64, nullable: true })
  approvedDigest: string | null;

  /** The present base URL of the service; null when it was deleted. */
  @VirtualColumn('text', { query: (a) => `SELECT s.base_url FROM services s WHERE s.id = ${a}.service_id` })
  serviceBaseUrl: string | null;

  @Column('timestamptz', { nullable: true })
  lastPolledAt: Date | null;

  /** Set while an execution is in progress: the id of its audit record. */
  @Column('uuid', { nullable: true })
  claimId: string | null;

  @Column('timestamptz', { nullable: true })
  claimedAt: Date | null;

  /** Milliseconds since `claimedAt`, by the database's clock; null without a claim. */
  @VirtualColumn('double precision', {
    query: (a) => `extract(epoch FROM clock_timestamp() - ${a}.claimed_at)::float8 * 1000`,
  })
  claimAgeMs: number | null;

  @Column('timestamptz', { nullable: true })
  executedAt: Date | null;

  /** false: the result is the gateway's own 502, 504 or 413. */
  @Column('boolean', { nullable: true })
  resultFromUpstream: boolean | null;

  @Column('integer', { nullable: true })
  resultStatus: number | null;

  @Column('json', { nullable: true })
  resultHeaders: [string, string][] | null;

  @Column('bytea', { nullable: true })
  resultBody: Buffer | null;
}
