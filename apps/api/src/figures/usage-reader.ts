import { Injectable } from '@nestjs/common';
import type { AgentUsage, Rejections, ServiceUsage } from '#contracts';
import { Clock } from '../platform/clock.js';
import { firstUuidV7 } from '../platform/uuid-v7.js';
import { decidedAsSql } from './decided-as.js';
import { AGENTS_SQL, FoldedUsage, liveRecords } from './folded-usage.js';
import { COUNTED, floorHour, HOUR_MS } from './usage-fold.js';

const DAY_HOURS = 24;
/** How many answers before and after a replacement of credentials are compared. */
const COMPARED_ANSWERS = 100;
const WEEK_MS = 7 * 24 * HOUR_MS;

interface ServiceCounts {
  serviceId: number;
  agents: number;
  documents: number;
  rules: number;
}
/** A service whose credentials were replaced in this time. */
interface RotationCount {
  serviceId: number;
  /** The first hour of the answer that began after the replacement. */
  nextHour: number;
  /** 401s from the replacement until that hour. */
  unauthorized: number;
}
/** A list and not an object, because there is one for each service and hour. The oldest hour of the answer is 0. */
type HourCounts = [serviceId: number, hour: number, calls: number, unauthorized: number];

/** Null: no rows. */
interface Found {
  services: ServiceCounts[] | null;
  hours: HourCounts[] | null;
  rotations: RotationCount[] | null;
  rejections: (Rejections & { serviceId: number })[] | null;
}

/** SQL expression: the first id of a moment. */
const idAt = (moment: string): string =>
  `(lpad(to_hex(floor(extract(epoch FROM ${moment}) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid`;

/**
 * SQL expression: the `RejectionCount` of the newest answers to service `s` in a range of ids. It reads few answers, so
 * it stays cheap for busy services.
 */
const rejectionsSql = (range: string): string => `
  (SELECT json_build_object('answers', count(*), 'rejected', count(*) FILTER (WHERE upstream_status IN (401, 403))) FROM (
     SELECT upstream_status FROM audit_records r
     WHERE r.service_id = s.id AND r.workspace_id = $1 AND ${range} AND r.upstream_status IS NOT NULL AND ${COUNTED}
     ORDER BY r.id DESC LIMIT ${COMPARED_ANSWERS}) a)`;

/**
 * $1 to $7 as in `AGENTS_SQL`. $8: now. $9: the first hour. $10: the beginnings of the hours, as ids. $11: a week ago.
 */
const SERVICES = `SELECT (SELECT json_agg(s) FROM (
   SELECT s.id AS "serviceId", coalesce(a.count, 0) AS agents, coalesce(d.count, 0) AS documents, coalesce(k.count, 0) AS rules
   FROM services s
   LEFT JOIN (SELECT x.service_id, count(*) FROM agent_services x JOIN services o ON o.id = x.service_id
              WHERE o.workspace_id = $1 GROUP BY 1) a ON a.service_id = s.id
   LEFT JOIN (SELECT d.service_id, count(*) FROM service_documents d JOIN services o ON o.id = d.service_id
              WHERE o.workspace_id = $1 GROUP BY 1) d ON d.service_id = s.id
   LEFT JOIN (SELECT k.service_id, count(*) FROM risk_rules k JOIN services o ON o.id = k.service_id
              WHERE o.workspace_id = $1 AND k.is_active AND (k.expires_at IS NULL OR k.expires_at > $8) GROUP BY 1) k
     ON k.service_id = s.id
   WHERE s.workspace_id = $1 ORDER BY s.id) s) AS services,
 (SELECT json_agg(json_build_array(service_id, hour, calls, unauthorized)) FROM (
   SELECT service_id, (date_part('epoch', hour - $9) / 3600)::int AS hour, calls, unauthorized FROM usage_hours
   WHERE workspace_id = $1 AND service_id <> 0 AND hour >= $2 AND hour < $3
   UNION ALL
   SELECT service_id, width_bucket(id, $10::uuid[]) - 1, count(*), count(*) FILTER (WHERE upstream_status = 401)
   FROM ${liveRecords(4)} r
   WHERE service_id IS NOT NULL AND ${COUNTED} GROUP BY 1, 2) h) AS hours,
 -- Requests from before the replacement say nothing of the new credentials: the hour of it is counted from its moment on.
 (SELECT json_agg(s) FROM (
   SELECT s.id AS "serviceId", width_bucket(s.rotated_id, $10::uuid[]) AS "nextHour", u.count AS unauthorized
   FROM (SELECT id, ${idAt('credentials_rotated_at')} AS rotated_id FROM services
         WHERE workspace_id = $1 AND credentials_rotated_at >= $9) s
   CROSS JOIN LATERAL (
     SELECT count(*) FROM audit_records r
     WHERE r.service_id = s.id AND r.workspace_id = $1 AND r.id >= s.rotated_id AND r.upstream_status = 401 AND ${COUNTED}
       AND r.id < coalesce(($10::uuid[])[width_bucket(s.rotated_id, $10::uuid[]) + 1], 'ffffffff-ffff-ffff-ffff-ffffffffffff')) u
   ) s) AS rotations,
 (SELECT json_agg(s) FROM (
   SELECT s.id AS "serviceId", ${rejectionsSql(`r.id >= ${idAt("s.credentials_rotated_at - interval '7 days'")} AND r.id < ${idAt('s.credentials_rotated_at')}`)} AS before,
     ${rejectionsSql(`r.id >= ${idAt('s.credentials_rotated_at')}`)} AS after
   FROM services s WHERE s.workspace_id = $1 AND s.credentials_rotated_at >= $11 AND s.credentials_rotated_at <> s.created_at) s) AS rejections`;

/** $1 to $8 as in `AGENTS_SQL`. $9: the beginning of the range. */
const AGENTS = `
  SELECT a.id AS "agentId", coalesce(u.requests, 0) AS "requests7d", coalesce(u.held, 0) AS "held7d", coalesce(d.count, 0) AS "denied7d"
  FROM agents a LEFT JOIN (${AGENTS_SQL}) u ON u.agent_id = a.id
  LEFT JOIN (SELECT agent_id, count(*)::int FROM actions
             WHERE workspace_id = $1 AND agent_id = ANY($8) AND resolved_at IS NOT NULL AND ${decidedAsSql('actions')} = 'denied'
               AND created_at >= $9 GROUP BY 1) d ON d.agent_id = a.id
  WHERE a.workspace_id = $1 AND a.id = ANY($8) ORDER BY a.id`;

/** The usage of a user's services and agents, for their lists in the dashboard. */
@Injectable()
export class UsageReader {
  constructor(
    private readonly clock: Clock,
    private readonly usage: FoldedUsage,
  ) {}

  /** The current hour and the 23 before it. */
  async services(workspaceId: number): Promise<ServiceUsage[]> {
    const nowMs = this.clock.nowMs();
    const sinceMs = floorHour(nowMs) - (DAY_HOURS - 1) * HOUR_MS;
    const hours = Array.from({ length: DAY_HOURS }, (_, hour) => firstUuidV7(sinceMs + hour * HOUR_MS));
    const [found] = await this.usage.range(sinceMs, nowMs + HOUR_MS, (tx, span) =>
      tx.query<Found[]>(SERVICES, [
        ...this.usage.values(workspaceId, span),
        new Date(nowMs),
        new Date(sinceMs),
        hours,
        new Date(nowMs - WEEK_MS),
      ]),
    );
    const services = new Map<number, ServiceUsage>(
      (found.services ?? []).map(({ serviceId, agents, documents, rules }) => [
        serviceId,
        {
          serviceId,
          agents,
          documents,
          rules,
          requests24h: 0,
          hourly: new Array<number>(DAY_HOURS).fill(0),
          unauthorized24h: 0,
          rejections: null,
        },
      ]),
    );
    for (const { serviceId, before, after } of found.rejections ?? []) {
      const service = services.get(serviceId);
      if (service) service.rejections = { before, after };
    }
    const rotations = new Map((found.rotations ?? []).map((rotation) => [rotation.serviceId, rotation]));
    for (const { serviceId, unauthorized } of rotations.values()) {
      const service = services.get(serviceId);
      if (service) service.unauthorized24h = unauthorized;
    }
    for (const [serviceId, hour, calls, unauthorized] of found.hours ?? []) {
      const service = services.get(serviceId);
      // The service was deleted.
      if (!service) continue;
      service.hourly[hour] += calls;
      service.requests24h += calls;
      if (hour >= (rotations.get(serviceId)?.nextHour ?? 0)) service.unauthorized24h += unauthorized;
    }
    return [...services.values()];
  }

  /** The last seven days of these agents, if they belong to the user. */
  agents(workspaceId: number, agentIds: number[]): Promise<AgentUsage[]> {
    const nowMs = this.clock.nowMs();
    const sinceMs = nowMs - WEEK_MS;
    return this.usage.range(sinceMs, nowMs + HOUR_MS, (tx, span) =>
      tx.query<AgentUsage[]>(AGENTS, [...this.usage.values(workspaceId, span), agentIds, new Date(sinceMs)]),
    );
  }
}
