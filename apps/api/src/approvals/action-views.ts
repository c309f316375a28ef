import { Injectable } from '@nestjs/common';
import type { Action } from '#contracts';
import type { ActionEntity } from '#database';
import type { ActingMember } from '../membership/member.js';
import { ActionFactsReader } from './action-facts.js';
import { toShownAction } from './action-mapper.js';
import { HeldBodies } from './held-bodies.js';

/** One action as its approver sees it, with its whole body. */
@Injectable()
export class ActionViews {
  constructor(
    private readonly facts: ActionFactsReader,
    private readonly bodies: HeldBodies,
  ) {}

  async shown(member: ActingMember, action: ActionEntity): Promise<Action> {
    const facts = await this.facts.of(member.workspaceId, [action]);
    return toShownAction(action, facts, member, await this.bodies.of(action));
  }
}
