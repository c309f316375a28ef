import { useCallback, useEffect, useLayoutEffect, useRef, type MouseEvent } from 'react';
import { announce } from '../../lib/announce.js';
import { messages } from './messages.js';

/** Nobody reads and decides in less: a press so soon after a change was meant for what stood there before. */
export const STEADY_MS = 400;

/**
 * The same for a list: a press on it is refused within 400 ms of its rows having moved. Where only the end grew, or another list began, nothing moved.
 * @returns to be called with the click before a row hears of it
 */
export function useSteadyRows(ids: readonly string[]): (click: MouseEvent) => void {
  const rows = useRef(ids);
  const movedAt = useRef(-Infinity);
  useLayoutEffect(() => {
    if (ids.length > 0 && rows.current.some((id, index) => ids[index] !== id)) movedAt.current = performance.now();
    rows.current = ids;
  }, [ids]);
  return (click) => {
    // A press of a key goes to the row that has the focus, wherever it moved to.
    if (click.detail === 0 || performance.now() - movedAt.current >= STEADY_MS) return;
    click.preventDefault();
    click.stopPropagation();
    announce(messages.justMoved);
  };
}

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
