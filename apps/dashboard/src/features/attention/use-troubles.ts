import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useNow } from '../../lib/clock.js';
import { agentsQuery, channelsQuery, servicesQuery, serviceUsageQuery } from '../../lib/queries.js';
import { findTroubles, type Trouble } from './troubles.js';

const MINUTE_MS = 60_000;
/** No event says that an API has rejected credentials. */
const USAGE_MS = 5 * MINUTE_MS;

/** What needs an administrator. `troubles` is undefined until all of it is known. */
export function useTroubles(): { troubles: Trouble[] | undefined; error: Error | null; refetch: () => void } {
  const queries = useQueries({
    queries: [servicesQuery, { ...serviceUsageQuery, refetchInterval: USAGE_MS }, agentsQuery, channelsQuery],
  });
  const [{ data: services }, { data: usage }, { data: agents }, { data: channels }] = queries;
  const minute = useNow((now) => Math.floor(now / MINUTE_MS));
  const troubles = useMemo(
    () =>
      services && usage && agents && channels
        ? findTroubles({ services, usage, agents, channels }, minute * MINUTE_MS)
        : undefined,
    [services, usage, agents, channels, minute],
  );
  return {
    troubles,
    error: queries.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => queries.forEach((query) => void query.refetch()),
  };
}
