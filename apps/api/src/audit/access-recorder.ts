import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccessEvents, type AccessAction } from '../auth/access-events.js';
import { Memberships } from '../membership/memberships.js';
import { AuditLog } from './audit-log.js';

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
      const record = (workspaceId: number | null): Promise<unknown> =>
        this.audit.write(
          {
            id: this.audit.newId(),
            at,
            kind: 'access',
            outcome: REFUSED.includes(action) ? 'denied' : 'changed',
            workspaceId,
            actor: user,
            requestId: requestId ?? undefined,
            reason: action,
            details: { address, userAgent },
          },
          null,
        );
      const workspaces = await this.memberships.of(user.id);
      await Promise.all(workspaces.length === 0 ? [record(null)] : workspaces.map(record));
    });
  }
}
