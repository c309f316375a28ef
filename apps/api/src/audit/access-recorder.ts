import { Injectable } from '@nestjs/common';
import type { AccessAction, AccessEvent, AccessListener } from '../auth/access-events.js';
import { Memberships } from '../membership/memberships.js';
import { AuditLog } from './audit-log.js';
import { accessRecords } from './record-access.js';

const REFUSED: readonly AccessAction[] = ['login.failed', 'session.confirm_failed'];

/** Records logins and similar events that `auth` emits, in each workspace of the person. */
@Injectable()
export class AccessRecorder implements AccessListener {
  constructor(
    private readonly audit: AuditLog,
    private readonly memberships: Memberships,
  ) {}

  async onAccess({ at, action, user, address, userAgent, requestId }: AccessEvent): Promise<void> {
    const event = {
      at,
      outcome: REFUSED.includes(action) ? ('denied' as const) : ('changed' as const),
      actor: user,
      requestId: requestId ?? undefined,
      reason: action,
      details: { address, userAgent },
    };
    const records = accessRecords(event, await this.memberships.of(user.id));
    await Promise.all(records.map((record) => this.audit.write(record)));
  }
}
