import type { AuditFilter } from '#contracts';
import { PAGE_LIMIT_MAX } from '#contracts/limits';
import { useEffect, useState } from 'react';
import { now } from '../../lib/clock.js';
import { onLive } from '../../lib/live.js';
import { countNewer } from './api.js';

/** Live events come in bursts. Count once per burst. */
const PAUSE_MS = 1000;

/** The number of records since the list was loaded. Updated after live events, at most once per second. */
export function useNewer(filter: AuditFilter, newestId: string | undefined, ready: boolean) {
  const key = JSON.stringify([filter, newestId]);
  const [counted, setCounted] = useState({ key, count: 0 });
  useEffect(() => {
    // A range that ends in the past gets no new records.
    if (!ready || (filter.to !== undefined && Date.parse(filter.to) <= now())) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let over = false;
    const stop = onLive(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        countNewer(filter, newestId).then(
          (count) => !over && setCounted({ key, count }),
          // The live bar reports an unreachable gateway.
          () => {},
        );
      }, PAUSE_MS);
    });
    return () => {
      over = true;
      clearTimeout(timer);
      stop();
    };
    // `key` covers both.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key, ready]);
  const count = counted.key === key ? counted.count : 0;
  return { count, more: count >= PAGE_LIMIT_MAX, clear: () => setCounted({ key, count: 0 }) };
}
