import { useCallback, useEffect, useRef } from 'react';
import { announce } from '../../lib/announce.js';
import { messages } from './messages.js';

/** Nobody reads and decides in less: a press so soon after a change was meant for what stood there before. */
export const STEADY_MS = 400;

/** Wraps a decision: it does nothing within 400 ms of `subject` appearing or changing. */
export function useSteady(subject: string): (decide: () => void) => void {
  const since = useRef(Infinity);
  useEffect(() => {
    since.current = performance.now();
  }, [subject]);
  return useCallback((decide) => {
    if (performance.now() - since.current < STEADY_MS) announce(messages.decide.justChanged);
    else decide();
  }, []);
}
