import { ASKED_EFFECTS, sortedEffects, type AskedEffect } from '#contracts/effects';
import { Chips } from '../chips.js';
import { askForMessages } from './ask-for-messages.js';
import { askedInOrder } from './told.js';

const OPTIONS = ASKED_EFFECTS.map((value) => ({ value, label: askForMessages.words[value].title }));

interface Props {
  legend: string;
  hint: string;
  value: readonly AskedEffect[];
  onChange: (value: AskedEffect[]) => void;
}

/** A choice of effects by their words alone, in the order in which the API has them. */
export const EffectChips = ({ value, onChange, ...words }: Props) => (
  <Chips
    {...words}
    value={[...value]}
    options={OPTIONS}
    onChange={(chosen) => onChange(sortedEffects(askedInOrder(chosen)))}
  />
);
