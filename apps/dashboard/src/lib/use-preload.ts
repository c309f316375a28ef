import { useEffect } from 'react';

/** Long enough for the page to load its first content. */
const AFTER_MS = 3000;

/** Loads code in advance, so that the parts that need it also open without a connection. */
export function usePreload(loads: readonly (() => Promise<unknown>)[]): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const load of loads) load().catch(() => {});
    }, AFTER_MS);
    return () => clearTimeout(timer);
  }, [loads]);
}
