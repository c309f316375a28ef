import { useEffect } from 'react';

/** Long enough for the page to load what it shows first. */
const AFTER_MS = 3000;

/** Loads code for later in advance, so that what it shows also opens without a connection. */
export function usePreload(loads: readonly (() => Promise<unknown>)[]): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const load of loads) load().catch(() => {});
    }, AFTER_MS);
    return () => clearTimeout(timer);
  }, [loads]);
}
