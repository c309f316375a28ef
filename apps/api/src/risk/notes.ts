/** Sentences that the gateway adds to an explanation, for approvers. */
import { formatSize } from '../platform/format-size.js';
import type { Injections } from './injections.js';
import { SEARCHED_ENDS } from './injections.js';
import type { RequestPart } from './risk-verdict.js';
import { UNSEEN_MARGIN, withUnseen } from './score.js';
import type { Unseen } from './shown-request.js';

const NAMES: Record<RequestPart, string> = {
  intent: 'the intent',
  url: 'the URL',
  headers: 'the headers',
  body: 'the body',
};

export const formatParts = (parts: readonly RequestPart[]): string => listed(parts.map((part) => NAMES[part]));

/** @returns empty if nothing was found */
export function injectionNote({ parts, quote, unsearched }: Injections): string {
  const found =
    quote === null ? [] : [`Warning: text in ${formatParts(parts)} seems to speak to the risk model: “${quote}”.`];
  const limit =
    unsearched.length === 0
      ? []
      : [
          `Only the first and last ${formatSize(SEARCHED_ENDS)} of ${formatParts(unsearched)} were searched for text that speaks to the risk model.`,
        ];
  return [...found, ...limit].join(' ');
}

/**
 * @param score the model's own
 * @returns empty if the model saw the whole request
 */
export function unseenNote(unseen: readonly Unseen[], score: number): string {
  if (unseen.length === 0) return '';
  const raised = withUnseen(score);
  const effect = raised === score ? '' : `, so its score was raised ${raised < 1 ? `by ${UNSEEN_MARGIN}` : 'to 1'}`;
  return `The model did not see ${listed(unseen.map(missing))}${effect}.`;
}

function missing({ part, bytes, isDescribed = false }: Unseen): string {
  if (isDescribed) return `${NAMES[part]} (${formatSize(bytes)}) but only its description`;
  return `${formatSize(bytes)} ${part === 'headers' ? 'of' : 'in the middle of'} ${NAMES[part]}`;
}

function listed(words: string[]): string {
  const last = words.at(-1)!;
  return words.length === 1 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}
