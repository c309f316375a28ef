import { dateTime, ago, duration } from '../lib/format.js';
import { useNow } from '../lib/clock.js';
import { messages } from '../lib/messages.js';

/** `2 min ago`, with the exact moment in the title. Moves with the shared ticker. */
export function RelativeTime({ at }: { at: string }) {
  const text = useNow((now) => ago(at, now));
  return (
    <time dateTime={at} title={dateTime(at)}>
      {text}
    </time>
  );
}

/** `57 min left`; its last minute is marked. */
export function Countdown({ until, bare = false }: { until: string; bare?: boolean }) {
  const text = useNow((now) => {
    const seconds = (Date.parse(until) - now) / 1000;
    if (seconds <= 0) return messages.time.expired;
    return bare ? duration(seconds) : messages.time.left(duration(seconds));
  });
  const urgent = useNow((now) => Date.parse(until) - now < 5 * 60_000);
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
