import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Action, ActionSummary, ActionViewName } from '#contracts';
import type { ActionEntity } from '#database';
import { errors } from '../platform/errors.js';
import type { ActingMember } from '../membership/member.js';
import { ActionFactsReader } from './action-facts.js';
import { toActionSummary, toShownAction } from './action-mapper.js';
import { HeldBodies } from './held-bodies.js';
import { ListedBodies, withBodySizes, type SizedRow } from './listed-bodies.js';
import { actionsWithoutBodies, findAction, isActionId } from './stored-actions.js';

/** One action as its approver sees it. */
@Injectable()
export class ActionViews {
  constructor(
    private readonly source: DataSource,
    private readonly facts: ActionFactsReader,
    private readonly bodies: HeldBodies,
    private readonly listed: ListedBodies,
  ) {}

  /** @throws 404 when there is no such action, or it is another workspace's */
  async read(member: ActingMember, actionId: string, view?: ActionViewName): Promise<Action | ActionSummary> {
    if (view === 'summary') return this.summary(member, actionId);
    const action = await findAction(this.source.manager, { id: actionId, workspaceId: member.workspaceId });
    return this.shown(member, action, view === 'excerpt');
  }

  /** An action that was just changed. */
  changed(member: ActingMember, action: ActionEntity, view?: ActionViewName): Promise<Action | ActionSummary> {
    return view === 'summary' ? this.summary(member, action.id) : this.shown(member, action, view === 'excerpt');
  }

  /** @param excerpt cuts long bodies */
  async shown(member: ActingMember, action: ActionEntity, excerpt = false): Promise<Action> {
    const facts = await this.facts.of(member.workspaceId, [action]);
    return toShownAction(action, facts, member, { body: await this.bodies.of(action), excerpt });
  }

  /** Does not read the bodies, which may have megabytes. */
  private async summary(member: ActingMember, actionId: string): Promise<ActionSummary> {
    const { workspaceId } = member;
    const found = isActionId(actionId)
      ? await withBodySizes(actionsWithoutBodies(this.source))
          .where('a.id = :actionId AND a.workspace_id = :workspaceId', { actionId, workspaceId })
          .getRawAndEntities<SizedRow>()
      : null;
    const action = found?.entities[0];
    if (action === undefined) throw errors.actionNotFound();
    const bodyBytes = found!.raw[0].body_size;
    const [digest] = await this.listed.digests([{ action, bodyBytes }]);
    return toActionSummary(action, await this.facts.of(workspaceId, [action]), member, { digest, bodyBytes });
  }
}
