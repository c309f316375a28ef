import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { SameThing } from '#contracts';
import type { ActionEntity, DocumentedOperationEntity } from '#database';
import { toPathSteps } from '../request-reading/path-steps.js';
import type { ServiceView } from '../service-view/service-view.js';
import { namedThing, namesThing } from './named-thing.js';

/** A higher number tells an approver nothing more. */
const READ_MAX = 200;

/** Finds the other pending requests about the thing that a request is about. */
@Injectable()
export class SameThings {
  constructor(private readonly source: DataSource) {}

  /** @returns null: no other one waits, or nobody can tell what the request is about */
  async of(
    action: ActionEntity,
    service: ServiceView,
    operation: DocumentedOperationEntity | null,
  ): Promise<SameThing | null> {
    const headline = action.headline ?? action.summary;
    const thing = namedThing(toPathSteps(new URL(action.targetUrl), service.baseUrl, operation), headline);
    if (thing === null) return null;
    const { noun, id } = thing;
    // An identical request has the same headline, and is in the same row of the list if it states the same intent.
    const rows: { target_url: string; headline: string }[] = await this.source.query(
      `SELECT target_url, coalesce(headline, summary) AS headline FROM actions
       WHERE workspace_id = $1 AND status = 'PENDING' AND expires_at > now() AND service_id = $2 AND id <> $3
         AND (target_url ILIKE $4 OR headline ILIKE $4)
         AND (agent_id, coalesce(headline, summary), intent) IS DISTINCT FROM ($5::int, $6, $7)
       LIMIT ${READ_MAX}`,
      [
        action.workspaceId,
        service.id,
        action.id,
        `%${id.replace(/_/g, '\\_')}%`,
        action.agentId,
        headline,
        action.intent,
      ],
    );
    const count = rows.filter((row) => namesThing(thing, new URL(row.target_url).pathname, row.headline)).length;
    return count === 0 ? null : { name: `${noun} ${id}`.trim(), text: id, count };
  }
}
