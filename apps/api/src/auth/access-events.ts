import { Injectable } from '@nestjs/common';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import type { RequestOrigin } from './request-origin.js';

export type AccessAction =
  | 'login'
  | 'login.failed'
  | 'logout'
  | 'password.changed'
  | 'account.created'
  | 'identity.linked'
  | 'identity.unlinked'
  | 'passkey.added'
  | 'passkey.removed'
  | 'session.confirmed'
  /** Somebody who holds the session gave a wrong password or passkey. */
  | 'session.confirm_failed'
  | 'session.revoked'
  /** An already used refresh token was used again, so someone has a copy of it. The session was revoked. */
  | 'session.reuse';

/** What happened to which account, and where the request came from. Contains no secrets. */
export interface AccessEvent extends RequestOrigin {
  at: Date;
  action: AccessAction;
  user: { id: number; name: string };
}

export type AccessListener = (event: AccessEvent) => Promise<void> | void;

/** Notifies its listeners (the audit log) of logins and similar events in this process. */
@Injectable()
export class AccessEvents {
  private readonly listeners: AccessListener[] = [];

  constructor(
    private readonly background: BackgroundWork,
    private readonly clock: Clock,
  ) {}

  subscribe(listener: AccessListener): void {
    this.listeners.push(listener);
  }

  /** Runs the listeners in the background, so that they don't affect the response time. */
  tell(action: AccessAction, user: { id: number; name: string }, origin: RequestOrigin): void {
    const event: AccessEvent = { at: this.clock.now(), action, user: { id: user.id, name: user.name }, ...origin };
    for (const listener of this.listeners) this.background.run(`access event ${action}`, async () => listener(event));
  }
}
