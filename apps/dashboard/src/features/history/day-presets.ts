import { dayStart } from '../../lib/clock.js';
import { day, weekday } from '../../lib/format.js';
import { messages } from './messages.js';

const text = messages.range;
/** The days back to the same weekday a week ago. */
const DAYS_BACK = 7;

interface DayPreset {
  /** "Today", "Yesterday", "Last Tuesday". */
  label: string;
  /** "Nov 17". */
  date: string;
  from: string;
  to: string;
}

/** Today and the seven days before, each from its first moment to the next day's. */
export const dayPresets = (nowMs: number): DayPreset[] =>
  Array.from({ length: DAYS_BACK + 1 }, (_, back) => {
    const from = dayStart(nowMs, back);
    return {
      label: back === 0 ? text.today : back === 1 ? text.yesterday : text.last(weekday(from.getTime())),
      date: day(from.getTime()),
      from: from.toISOString(),
      to: dayStart(nowMs, back - 1).toISOString(),
    };
  });

/** A custom range in words: the name of a preset, or the date of another whole day. */
export function rangeWords(from: string | null, to: string | null, nowMs: number): string {
  const preset = dayPresets(nowMs).find((each) => each.from === from && each.to === to);
  if (preset) return preset.label;
  const first = from ? day(from) : '…';
  const last = to ? day(Date.parse(to) - 1) : '…';
  return first === last ? first : `${first} – ${last}`;
}
