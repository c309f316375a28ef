import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccessEvents, type AccessAction } from '../auth/access-events.js';
import { Memberships } from '../membership/memberships.js';
import { AuditLog } from './audit-log.js';
import { accessRecords } from './record-access.js';

const REFUSED: readonly AccessAction[] = ['login.failed', 'session.confirm_failed'];

/** Records logins and similar events that `auth` emits, in each workspace of the person. */
@Injectable()
export class AccessRecorder implements OnModuleInit {
  constructor(
    private readonly events: AccessEvents,
    private readonly audit: AuditLog,
    private readonly memberships: Memberships,
  ) {}

  onModuleInit(): void {
    this.events.subscribe(async ({ at, action, user, address, userAgent, requestId }) => {
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
    });
  }
}
