import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccessEvents } from '../auth/access-events.js';
import { AuditLog } from './audit-log.js';

/** Records logins and similar events that `auth` emits. */
@Injectable()
export class AccessRecorder implements OnModuleInit {
  constructor(
    private readonly events: AccessEvents,
    private readonly audit: AuditLog,
  ) {}

  onModuleInit(): void {
    this.events.subscribe(async ({ at, action, user, address, userAgent, requestId }) => {
      await this.audit.write(
        {
          id: this.audit.newId(),
          at,
          kind: 'access',
          outcome: action === 'login.failed' ? 'denied' : 'changed',
          userId: user.id,
          actor: user,
          requestId: requestId ?? undefined,
          reason: action,
          details: { address, userAgent },
        },
        null,
      );
    });
  }
}
