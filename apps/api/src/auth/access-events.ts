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
  | 'session.revoked'
  /** A spent refresh token was used: somebody has a copy. The session was revoked. */
  | 'session.reuse';

/** What happened to whose account, and where from. Never holds a secret. */
export interface AccessEvent extends RequestOrigin {
  at: Date;
  action: AccessAction;
  user: { id: number; name: string };
}

export type AccessListener = (event: AccessEvent) => Promise<void> | void;

/** Tells those who asked (the audit record) of everything that happens at the door, in this process. */
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

  /** Returns at once, so that listeners don't show in the time of an answer. */
  tell(action: AccessAction, user: { id: number; name: string }, origin: RequestOrigin): void {
    const event: AccessEvent = { at: this.clock.now(), action, user: { id: user.id, name: user.name }, ...origin };
    for (const listener of this.listeners) this.background.run(`access event ${action}`, async () => listener(event));
  }
}
