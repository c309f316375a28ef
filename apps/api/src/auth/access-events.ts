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

/** The record is above this part, so it provides this class. */
export abstract class AccessListener {
  abstract onAccess(event: AccessEvent): Promise<void>;
}

/** Tells the listener of logins and similar events. */
@Injectable()
export class AccessEvents {
  constructor(
    private readonly listener: AccessListener,
    private readonly background: BackgroundWork,
    private readonly clock: Clock,
  ) {}

  /** Runs the listener in the background, so that it doesn't affect the response time. */
  tell(action: AccessAction, user: { id: number; name: string }, origin: RequestOrigin): void {
    const event: AccessEvent = { at: this.clock.now(), action, user: { id: user.id, name: user.name }, ...origin };
    this.background.run(`access event ${action}`, () => this.listener.onAccess(event));
  }
}
