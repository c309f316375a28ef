import { Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { isAtLeast, sortedEffects, type CreateChannelRequest, type UpdateChannelRequest } from '#contracts';
import {
  PERSONAL_CHANNEL_TYPES,
  selectableEvents,
  type ChannelEvent,
  type ChannelType,
} from '#contracts/channel-states';
import { ChannelEntity, ServiceEntity, sqlState } from '#database';
import type { ActingMember } from '../membership/member.js';
import { HttpConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { isTimeZone } from '../platform/time-zone.js';
import { visibleTo } from './channel-access.js';

export type Settings = Pick<
  ChannelEntity,
  | 'decideBelowRisk'
  | 'minRisk'
  | 'effects'
  | 'serviceIds'
  | 'events'
  | 'quietHours'
  | 'remindAfterMinutes'
  | 'escalateAfterMinutes'
  | 'escalateTo'
  | 'isActive'
>;

const INVALID_PARAMETER = '22023';

/** Validates the settings of channels. */
@Injectable()
export class ChannelSettings {
  constructor(private readonly http: HttpConfig) {}

  /**
   * The settings after the request. Fields that it leaves out stay as in `before`.
   * @throws ApiError 400, 404
   */
  async of(
    tx: EntityManager,
    member: ActingMember,
    { type, isBot }: Pick<ChannelEntity, 'type' | 'isBot'>,
    request: CreateChannelRequest | UpdateChannelRequest,
    before: ChannelEntity | null,
  ): Promise<Settings> {
    const from = before ?? { ...DEFAULTS, events: defaultEvents(type) };
    const events = pickEvents(type, isBot, request.events ?? from.events);
    const pick = <K extends keyof Settings>(name: K): Settings[K] =>
      request[name] === undefined ? from[name] : (request[name] as Settings[K]);
    const settings: Settings = {
      decideBelowRisk: isBot ? pick('decideBelowRisk') : null,
      minRisk: pick('minRisk'),
      effects: sortedEffects(pick('effects')),
      serviceIds: [...new Set(pick('serviceIds'))],
      events,
      quietHours: type === 'webhook' ? null : pick('quietHours'),
      remindAfterMinutes: pick('remindAfterMinutes'),
      escalateAfterMinutes: pick('escalateAfterMinutes'),
      escalateTo: pick('escalateTo'),
      isActive: pick('isActive'),
    };
    if (settings.decideBelowRisk !== (before?.decideBelowRisk ?? null)) this.assertMayDecide(member, settings);
    if (request.decideBelowRisk && !isBot)
      throw errors.invalid('decideBelowRisk: needs a Slack app, because incoming webhooks have no buttons');
    if (request.serviceIds !== undefined) await assertServices(tx, member.workspaceId, settings.serviceIds);
    if (request.quietHours) await assertQuietHours(tx, request.quietHours);
    if (request.quietHours && type === 'webhook')
      throw errors.invalid('quietHours: a webhook gets every event at once, so it has none');
    if (request.escalateTo) await assertOtherChannel(tx, member, before?.id ?? null, type, request.escalateTo);
    if ((settings.escalateTo === null) !== (settings.escalateAfterMinutes === null)) {
      throw errors.invalid('escalateTo: must be set together with escalateAfterMinutes');
    }
    return settings;
  }

  /**
   * Buttons let people decide outside the dashboard, so only owners may set their limit. Every administrator may remove
   * them.
   */
  private assertMayDecide(member: ActingMember, { decideBelowRisk }: Settings): void {
    if (decideBelowRisk === null) return;
    if (!isAtLeast(member.role, 'owner')) throw errors.roleTooLow(member.role);
    if (this.http.publicUrl === null)
      throw errors.invalid(
        'decideBelowRisk: needs PUBLIC_URL, because Slack calls this gateway; the operator must set it',
      );
  }
}

const DEFAULTS: Omit<Settings, 'events'> = {
  decideBelowRisk: null,
  minRisk: 0,
  effects: [],
  serviceIds: [],
  quietHours: null,
  remindAfterMinutes: null,
  escalateAfterMinutes: null,
  escalateTo: null,
  isActive: true,
};

/** A bot replaces its messages when a request is decided. So it never sends the decision as another message. */
const pickEvents = (type: ChannelType, isBot: boolean, chosen: ChannelEvent[]): ChannelEvent[] =>
  selectableEvents(type).filter((event) => chosen.includes(event) && !(isBot && event === 'approval.decided'));

/** A mail can't be replaced, and one mail for each decision would be too many. */
const defaultEvents = (type: ChannelType): ChannelEvent[] =>
  selectableEvents(type).filter((event) => event !== 'approval.decided' || (type !== 'email' && type !== 'ntfy'));

async function assertServices(tx: EntityManager, workspaceId: number, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  const found = await tx.countBy(ServiceEntity, { workspaceId, id: In(ids) });
  if (found !== ids.length) throw errors.serviceNotFound();
}

/** The database counts the hours, so it must know the time zone. */
async function assertQuietHours(
  tx: EntityManager,
  { from, to, timeZone }: NonNullable<Settings['quietHours']>,
): Promise<void> {
  if (from === to) throw errors.invalid('quietHours.to: must differ from quietHours.from');
  const unknown = errors.invalid('quietHours.timeZone: must be a time zone like Europe/Berlin');
  if (!isTimeZone(timeZone)) throw unknown;
  try {
    await tx.query('SAVEPOINT zone');
    await tx.query('SELECT now() AT TIME ZONE $1', [timeZone]);
  } catch (error) {
    if (sqlState(error) !== INVALID_PARAMETER) throw error;
    await tx.query('ROLLBACK TO SAVEPOINT zone');
    throw unknown;
  }
}

/**
 * A channel can escalate only to a channel that its manager sees. A channel of the workspace can escalate only to
 * another channel of the workspace.
 * @throws ApiError 400, 404
 */
async function assertOtherChannel(
  tx: EntityManager,
  member: ActingMember,
  ownId: number | null,
  type: ChannelType,
  id: number,
): Promise<void> {
  if (id === ownId) throw errors.invalid('escalateTo: must be another channel');
  const isPersonal = PERSONAL_CHANNEL_TYPES.some((each) => each === type);
  const seen = visibleTo(member).filter(({ userId }) => isPersonal || userId !== member.id);
  const found = await tx.findOne(ChannelEntity, {
    where: seen.map((where) => ({ ...where, id })),
    // Somebody may be deleting it.
    lock: { mode: 'for_key_share' },
  });
  if (found === null) throw errors.channelNotFound();
}
