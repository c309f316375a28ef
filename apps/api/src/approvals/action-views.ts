import { Injectable } from '@nestjs/common';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import type { Action, ActionSummary, ActionViewName } from '#contracts';
import type { ActionEntity } from '#database';
import { errors } from '../platform/errors.js';
import type { ActingMember } from '../membership/member.js';
import { ActionFactsReader } from './action-facts.js';
import { contentType, toActionSummary, toExcerpt, toListedAction, toShownAction } from './action-mapper.js';
import { HeldBodies } from './held-bodies.js';
import { ListedBodies, withBodySizes, withExcerpts, type ListedRow, type SizedRow } from './listed-bodies.js';
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
    if (view === 'excerpt') return this.excerpt(member, actionId);
    return this.whole(member, actionId);
  }

  /** An action that was just changed. */
  changed(member: ActingMember, action: ActionEntity, view?: ActionViewName): Promise<Action | ActionSummary> {
    if (view === 'summary') return this.summary(member, action.id);
    return view === 'excerpt' ? this.excerpt(member, action.id) : this.shown(member, action);
  }

  async shown(member: ActingMember, action: ActionEntity): Promise<Action> {
    const facts = await this.facts.of(member.workspaceId, [action]);
    return toShownAction(action, facts, member, await this.bodies.of(action));
  }

  /** Does not read the bodies, which may have megabytes. */
  private async summary(member: ActingMember, actionId: string): Promise<ActionSummary> {
    const [action, { body_size: bodyBytes }] = await this.select<SizedRow>(member, actionId, withBodySizes);
    const [digest] = await this.listed.digests([{ action, bodyBytes }]);
    return toActionSummary(action, await this.facts.of(member.workspaceId, [action]), member, { digest, bodyBytes });
  }

  /** Reads the beginning of a long text. Only a binary body, and the parts of an upload, need the whole body. */
  private async excerpt(member: ActingMember, actionId: string): Promise<Action> {
    const [action, row] = await this.select<ListedRow>(member, actionId, withExcerpts);
    const needsWhole = action.bodyHash !== null || /^multipart\//i.test(contentType(action.headers) ?? '');
    if (needsWhole) return toExcerpt(await this.whole(member, actionId));
    const facts = await this.facts.of(member.workspaceId, [action]);
    return toExcerpt(toListedAction(await this.listed.of(action, row), facts, member));
  }

  private async whole(member: ActingMember, actionId: string): Promise<Action> {
    const where = { id: actionId, workspaceId: member.workspaceId };
    return this.shown(member, await findAction(this.source.manager, where));
  }

  private async select<R>(
    member: ActingMember,
    actionId: string,
    fields: (rows: SelectQueryBuilder<ActionEntity>) => SelectQueryBuilder<ActionEntity>,
  ): Promise<[ActionEntity, R]> {
    if (!isActionId(actionId)) throw errors.actionNotFound();
    const { entities, raw } = await fields(actionsWithoutBodies(this.source))
      .where('a.id = :actionId AND a.workspace_id = :workspaceId', { actionId, workspaceId: member.workspaceId })
      .getRawAndEntities<R>();
    if (entities.length === 0) throw errors.actionNotFound();
    return [entities[0], raw[0]];
  }
}
