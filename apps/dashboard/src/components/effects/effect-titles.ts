import { askForMessages } from './ask-for-messages.js';
import { askedInOrder } from './told.js';

/** The titles of effects that people chose: "Deletes, Money". */
export const effectTitles = (effects: readonly string[]): string =>
  askedInOrder(effects)
    .map((effect) => askForMessages.words[effect].title)
    .join(', ');
