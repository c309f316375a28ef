import { dateTime, ago, duration } from '../lib/format.js';
import { useNow } from '../lib/clock.js';
import { sharedMessages } from '../lib/messages.js';

/** `2 min ago`, with the exact moment in the title. The shared ticker updates it. */
export function RelativeTime({ at }: { at: string }) {
  const text = useNow((now) => ago(at, now));
  return (
    <time dateTime={at} title={dateTime(at)} style={{ whiteSpace: 'nowrap' }}>
      {text}
    </time>
  );
}

interface CountdownProps {
  until: string;
  words?: (text: string) => string;
  /** Nobody has to hurry: the end is not highlighted. */
  calm?: boolean;
}

/** `57 min left`, or other words around the duration. The last five minutes are highlighted. */
export function Countdown({ until, words = sharedMessages.time.left, calm = false }: CountdownProps) {
  const text = useNow((now) => {
    const seconds = (Date.parse(until) - now) / 1000;
    if (seconds <= 0) return sharedMessages.time.expired;
    return words(duration(seconds));
  });
  const urgent = useNow((now) => !calm && Date.parse(until) - now < 5 * 60_000);
  return (
    <time
      dateTime={until}
      title={dateTime(until)}
      style={urgent ? { color: 'var(--agw-high)', fontWeight: 600 } : undefined}
    >
      {text}
    </time>
  );
}

export function Moment({ at }: { at: string }) {
  return <time dateTime={at}>{dateTime(at)}</time>;
}
