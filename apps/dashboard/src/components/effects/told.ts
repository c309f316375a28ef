import type { RequestEffect } from '#contracts';
import { ASKED_EFFECTS, EFFECTS, type AskedEffect, type Effect } from '#contracts/effects';
import { effectMessages } from './messages.js';

/** The effects in their order, the most telling first. */
export const inOrder = <T extends Pick<RequestEffect, 'effect'>>(effects: readonly T[]): T[] =>
  [...effects].sort((a, b) => EFFECTS.indexOf(a.effect) - EFFECTS.indexOf(b.effect));

/** The words for a line. `changes` and `reads` say nothing new beside another one. */
export function toldEffects(effects: readonly Pick<RequestEffect, 'effect'>[]): Effect[] {
  const words = inOrder(effects).map(({ effect }) => effect);
  const telling = words.filter((word) => word !== 'read' && word !== 'write');
  return telling.length > 0 ? telling : words;
}

/** "deletes · money" */
export const effectLine = (effects: readonly Effect[]): string =>
  effects.map((effect) => effectMessages.words[effect]).join(' · ');

/** What people are asked about, in the same order. The API has another one. */
export const askedInOrder = (words: readonly string[]): AskedEffect[] =>
  ASKED_EFFECTS.filter((word) => words.includes(word));
