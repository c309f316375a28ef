import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AgentUsage, ServiceUsage, Usage } from '#contracts';
import { Clock } from '../platform/clock.js';
import { firstUuidV7 } from '../platform/uuid-v7.js';

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
const WEEK_MS = 7 * 24 * HOUR_MS;

/** How much the services and agents of a user are used, for their lists in the dashboard. */
@Injectable()
export class UsageReader {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
  ) {}

  async of(userId: number): Promise<Usage> {
    const nowMs = this.clock.nowMs();
    const [services, agents] = await Promise.all([this.services(userId, nowMs), this.agents(userId, nowMs)]);
    return { services, agents };
  }

  private async services(userId: number, nowMs: number): Promise<ServiceUsage[]> {
    const since = nowMs - DAY_HOURS * HOUR_MS;
    const rows: (Omit<ServiceUsage, 'hourly' | 'requests24h'> & { hours: { hour: number; requests: number }[] })[] =
      await this.source.query(
        `SELECT s.id AS "serviceId",
           (SELECT count(*)::int FROM agent_services x WHERE x.service_id = s.id) AS agents,
           (SELECT count(*)::int FROM service_documents d WHERE d.service_id = s.id) AS documents,
           (SELECT count(*)::int FROM risk_rules k WHERE k.service_id = s.id AND k.is_active
              AND (k.expires_at IS NULL OR k.expires_at > $3)) AS rules,
           coalesce(used.unauthorized, 0)::int AS "unauthorized24h", coalesce(used.hours, '[]') AS hours
         FROM services s LEFT JOIN LATERAL (
           SELECT sum(unauthorized) AS unauthorized, json_agg(json_build_object('hour', hour, 'requests', requests)) AS hours
           FROM (SELECT floor(extract(epoch FROM r.at - $4::timestamptz) / 3600)::int AS hour, count(*)::int AS requests,
                        count(*) FILTER (WHERE r.upstream_status = 401) AS unauthorized
                 FROM audit_records r WHERE r.service_id = s.id AND r.id >= $2 AND r.kind IN ('request', 'execution')
                 GROUP BY 1) h
         ) used ON true
         WHERE s.user_id = $1 ORDER BY s.id`,
        [userId, firstUuidV7(since), new Date(nowMs), new Date(since)],
      );
    return rows.map(({ hours, ...row }) => {
      const hourly = new Array<number>(DAY_HOURS).fill(0);
      for (const { hour, requests } of hours) hourly[Math.min(Math.max(hour, 0), DAY_HOURS - 1)] += requests;
      return { ...row, hourly, requests24h: hourly.reduce((a, b) => a + b, 0) };
    });
  }

  private agents(userId: number, nowMs: number): Promise<AgentUsage[]> {
    return this.source.query(
      `SELECT a.id AS "agentId", coalesce(used.requests, 0)::int AS "requests7d", coalesce(used.held, 0)::int AS "held7d",
         (SELECT count(*)::int FROM actions x WHERE x.agent_id = a.id AND x.status = 'DENIED' AND x.created_at >= $3) AS "denied7d"
       FROM agents a LEFT JOIN LATERAL (
         SELECT count(*) AS requests, count(*) FILTER (WHERE r.outcome = 'held') AS held
         FROM audit_records r WHERE r.agent_id = a.id AND r.id >= $2 AND r.kind = 'request'
       ) used ON true
       WHERE a.user_id = $1 ORDER BY a.id`,
      [userId, firstUuidV7(nowMs - WEEK_MS), new Date(nowMs - WEEK_MS)],
    );
  }
}
