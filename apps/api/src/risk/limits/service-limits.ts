import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { RuleLimitUse } from '#contracts';
import { LIMIT_WINDOW_SECONDS } from '#contracts/states';
import { findService } from '../../service-view/stored-service.js';
import { usedSql } from './limit-reader.js';

/** Enough to see who is close to a limit. */
const AGENTS_SHOWN = 10;

/** One look-up for each limit and agent of the service, by the key of the counters. $2: windows and their seconds. */
const LIST = `
  SELECT r.id AS "ruleId", w.since + w.length AS "resetsAt", coalesce(json_agg(u ORDER BY u.used DESC, u.id)
    FILTER (WHERE u.id IS NOT NULL), '[]') AS agents
  FROM risk_rules r
  CROSS JOIN LATERAL (SELECT make_interval(secs => ($2::json ->> (r."limit" ->> 'per'))::int) AS length) l
  CROSS JOIN LATERAL (SELECT l.length, date_bin(l.length, now(), 'epoch') AS since) w
  LEFT JOIN LATERAL (
    SELECT a.id, a.name, c.used FROM agent_services x JOIN agents a ON a.id = x.agent_id
    CROSS JOIN LATERAL (SELECT ${usedSql('r.id', 'a.id', 'w.since')} AS used) c
    WHERE x.service_id = r.service_id AND c.used > 0
    ORDER BY c.used DESC, a.id LIMIT ${AGENTS_SHOWN}
  ) u ON true
  WHERE r.service_id = $1 AND r.effect = 'limit'
  GROUP BY r.id, w.since, w.length ORDER BY r.id`;

/** Tells people what agents have used of the limits of a service. */
@Injectable()
export class ServiceLimits {
  constructor(private readonly source: DataSource) {}

  async list(workspaceId: number, serviceId: number): Promise<RuleLimitUse[]> {
    await findService(this.source.manager, workspaceId, serviceId);
    const rows: (Omit<RuleLimitUse, 'resetsAt'> & { resetsAt: Date })[] = await this.source.query(LIST, [
      serviceId,
      JSON.stringify(LIMIT_WINDOW_SECONDS),
    ]);
    return rows.map((row) => ({ ...row, resetsAt: row.resetsAt.toISOString() }));
  }
}
