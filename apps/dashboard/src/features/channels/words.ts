import type { Channel } from '#contracts';
import { effectTitles } from '../../components/effects/effect-titles.js';
import { ago, dateTime, duration } from '../../lib/format.js';
import { messages } from './messages.js';

const text = messages.card;

/** The result of the last notification, in words. */
export function lastDeliveryWords({ lastDelivery, failingSince }: Channel, nowMs: number): string {
  if (lastDelivery === null) return text.never;
  const { state, lastAttemptAt, lastStatus, lastError } = lastDelivery;
  if (failingSince !== null) {
    const why = lastError ?? (lastStatus === null ? '' : text.answered(lastStatus));
    return text.failed(dateTime(failingSince), why);
  }
  const when = lastAttemptAt === null ? '' : ago(lastAttemptAt, nowMs);
  if (state === 'withdrawn') return text.withdrawn(when);
  return state === 'delivered' ? text.delivered(when) : text.sending;
}

/** The settings of a channel, one line each. The names are those of services and channels that the person sees. */
export function settingLines(
  channel: Channel,
  services: ReadonlyMap<number, string>,
  channels: ReadonlyMap<number, string>,
  nowMs: number,
): string[] {
  const { minRisk, effects, serviceIds, events, quietHours, remindAfterMinutes, escalateAfterMinutes, escalateTo } =
    channel;
  const chosen = serviceIds.map((id) => services.get(id) ?? text.goneService);
  const lines = [`${text.risk(minRisk)} · ${chosen.length === 0 ? text.allServices : text.services(chosen)}`];
  if (effects.length > 0) lines.push(text.always(effectTitles(effects), quietHours !== null));
  if (events.includes('approval.reminder')) {
    lines.push(remindAfterMinutes === null ? text.remindDefault : text.remind(remindAfterMinutes));
  }
  if (quietHours !== null) lines.push(text.quiet(quietHours.from, quietHours.to, quietHours.timeZone));
  if (escalateTo !== null && escalateAfterMinutes !== null) {
    lines.push(text.escalate(escalateAfterMinutes, channels.get(escalateTo) ?? text.goneChannel));
  }
  if (channel.decideBelowRisk !== null) lines.push(text.decides(channel.decideBelowRisk));
  if (channel.slackApp?.requestUrl) lines.push(text.requestUrl(channel.slackApp.requestUrl));
  const bothFor = channel.previousSecretExpiresAt === null ? 0 : Date.parse(channel.previousSecretExpiresAt) - nowMs;
  if (bothFor > 0) lines.push(text.bothSecrets(duration(bothFor / 1000)));
  return lines;
}
