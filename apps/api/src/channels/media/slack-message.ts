import type { Notice } from './notice.js';
import { oneLine, unlinked } from '../../platform/plain-text.js';

/** A message in Block Kit. Texts of others are `plain_text`, where Slack applies no formatting. */
export const slackText = (text: string): object => ({ type: 'plain_text', text, emoji: false });

export function slackMessage(notice: Notice): object {
  return { ...envelope(notice.title), blocks: [header(notice.title), ...slackFacts(notice), ...linkTo(notice)] };
}

/** The ids of the buttons. Slack names the one that was pressed. */
export const SLACK_BUTTONS = { approve: 'agw_approve', deny: 'agw_deny', review: 'agw_review' } as const;

/** The message with buttons. */
export function slackQuestion(notice: Notice): object {
  return { ...envelope(notice.title), blocks: [header(notice.title), ...slackFacts(notice), buttons(notice)] };
}

/** They decide nothing yet: they open a form that asks again. */
function buttons({ link, actionId: value }: Notice): object {
  const { approve, deny, review } = SLACK_BUTTONS;
  const elements = [
    ...(link === null ? [] : [{ type: 'button', action_id: review, text: slackText('Review'), url: link }]),
    { type: 'button', action_id: approve, text: slackText('Approve…'), value, style: 'primary' },
    { type: 'button', action_id: deny, text: slackText('Deny…'), value, style: 'danger' },
  ];
  return { type: 'actions', elements };
}

/**
 * The message that replaces the earlier one once the action has changed.
 * @param asks whether people may decide it there: an approval was taken back, so the action waits again
 */
export function slackUpdate(notice: Notice, asks: boolean): object {
  return {
    ...envelope(decisionWords(notice.data).join('')),
    blocks: [header(formatDecision(notice)), ...slackFacts(notice), ...(asks ? [buttons(notice)] : linkTo(notice))],
  };
}

/** The facts about a request, as blocks of a message or a view. */
export const slackFacts = ({ quote, facts }: Pick<Notice, 'quote' | 'facts'>): object[] => [
  ...(quote === null ? [] : [{ type: 'section', text: slackText(`“${unlinked(quote)}”`) }]),
  ...(facts.length === 0
    ? []
    : [{ type: 'section', fields: facts.map(([label, value]) => slackText(`${label}: ${unlinked(value)}`)) }]),
];

const header = (text: string): object => ({ type: 'header', text: slackText(text) });

/** @param title shown in notifications of the system. It contains only the gateway's own words. */
const envelope = (title: string): object => ({ text: title, unfurl_links: false, unfurl_media: false });

const linkTo = ({ link, linkText }: Notice): object[] =>
  link === null
    ? []
    : [
        {
          type: 'section',
          text: {
            type: 'mrkdwn',
            text: `<${escaped(link)}|${linkText}>`,
          },
        },
      ];

export const escaped = (url: string): string =>
  url.replace(/&/g, '&amp;').replace(/</g, '%3C').replace(/>/g, '%3E').replace(/\|/g, '%7C');

/** A header block of Slack has at most 150 characters. */
const NAME_MAX = 40;

/** `Approved by Ana, 12 s`. */
function formatDecision({ data }: Notice): string {
  const [verb, then] = decisionWords(data);
  if (typeof data.resolvedBy !== 'string') return verb + then;
  const tookMs = Date.parse(String(data.resolvedAt)) - Date.parse(String(data.askedAt));
  const took = Number.isNaN(tookMs) ? '' : `, ${formatDuration(tookMs)}`;
  return `${verb} by ${unlinked(oneLine(data.resolvedBy, NAME_MAX))}${took}${then}`;
}

/** The decision of a person, and its outcome, in words. */
function decisionWords({ status, before, revisedAs }: Notice['data']): [verb: string, then: string] {
  if (status === 'PENDING') return ['Waiting for approval', '. An earlier approval was taken back'];
  if (status === 'APPROVED') return ['Approved', ''];
  if (status === 'EXECUTED') return ['Approved', '. The request was sent'];
  if (status === 'EXPIRED')
    return before === 'APPROVED' ? ['Approved', '. It was not sent in time'] : ['Expired', ': nobody decided in time'];
  if (typeof revisedAs === 'string') return ['Changed', ''];
  return before === 'APPROVED' ? ['Approval withdrawn', ''] : ['Denied', ''];
}

const UNITS: [ms: number, unit: string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
];

function formatDuration(ms: number): string {
  const [unitMs, unit] = UNITS.find(([each]) => ms >= each) ?? [1000, 's'];
  return `${Math.max(0, Math.round(ms / unitMs))} ${unit}`;
}
