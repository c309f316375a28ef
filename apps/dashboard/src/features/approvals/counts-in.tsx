import { useNow } from '../../lib/clock.js';
import { takeBackMessages } from './take-back-messages.js';

/** The seconds until an approval counts. Nothing once it does. */
export function CountsIn({ from }: { from: string | null }) {
  const seconds = useNow((now) => (from === null ? 0 : Math.ceil((Date.parse(from) - now) / 1000)));
  return seconds > 0 ? <span>{takeBackMessages.countsIn(seconds)}</span> : null;
}
