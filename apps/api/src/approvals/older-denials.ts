import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ActionEntity } from '#database';
import { parseUrl } from '#egress';
import { ApprovalsConfig } from '../platform/config.js';
import { denialHashes, targetHash } from './equality.js';
import { HeldBodies } from './held-bodies.js';
import { actionsWithoutBodies } from './stored-actions.js';

const BATCH = 100;

/** SQL: an action of an earlier version may still hold equal requests. */
const MAY_HOLD = `a.target_hash IS NULL AND (a.status IN ('PENDING', 'APPROVED') OR a.resolved_at > now() - make_interval(hours => :hours))
  AND a.service_id IS NOT NULL`;

/**
 * Computes the missing hashes of actions that an earlier version has stored, so that a denial still holds after an
 * update. During an update, instances of both versions write actions, so this runs again and again.
 */
@Injectable()
export class OlderDenials implements OnModuleInit {
  constructor(
    private readonly source: DataSource,
    private readonly bodies: HeldBodies,
    private readonly config: ApprovalsConfig,
  ) {}

  /** Runs before any request is judged. */
  async onModuleInit(): Promise<void> {
    await this.fill();
  }

  async fill(): Promise<void> {
    for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
      const actions = await actionsWithoutBodies(this.source)
        .where(MAY_HOLD)
        .andWhere('a.id > :after', { after, hours: this.config.denialHoldsHours })
        .orderBy('a.id')
        .limit(BATCH)
        .getMany();
      for (const { id } of actions) await this.fillOne(id);
      if (actions.length < BATCH) return;
      after = actions[BATCH - 1].id;
    }
  }

  private async fillOne(id: string): Promise<void> {
    const action = await this.source.manager.findOneBy(ActionEntity, { id });
    if (action === null) return;
    const { serviceId, method, targetUrl, headers } = action;
    const url = parseUrl(targetUrl);
    if (url === null || serviceId === null) return;
    const [service]: { isAws: boolean }[] = await this.source.query(
      'SELECT coalesce(auth ? \'aws\', false) AS "isAws" FROM services WHERE id = $1',
      [serviceId],
    );
    const { isAws = false } = service ?? {};
    const compared = { serviceId, isAws, method, url, headers, body: await this.bodies.of(action) };
    await this.source.query(
      'UPDATE actions SET target_hash = $2, denial_hashes = $3 WHERE id = $1 AND target_hash IS NULL',
      [id, targetHash(compared), denialHashes(compared)],
    );
  }
}
