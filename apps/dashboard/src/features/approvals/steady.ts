import { useCallback, useEffect, useLayoutEffect, useRef, useState, type MouseEvent } from 'react';
import { announce } from '../../lib/announce.js';
import { messages } from './messages.js';

/** Nobody reads and decides in less: a press so soon after a change was meant for what stood there before. */
export const STEADY_MS = 400;
/** A whole action takes longer to read: a press so soon after it came up was meant for the one before. */
export const UNREAD_MS = 1200;
/** How long a refused press is explained. */
const EXPLAINED_MS = 3000;

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

/**
 * Wraps a decision: it does nothing within `steadyMs` of `subject` appearing or changing.
 * @returns the wrapper, and whether a press was just refused
 */
export function useSteady(
  subject: string,
  steadyMs = STEADY_MS,
): [steady: (decide: () => void) => void, refused: boolean] {
  const since = useRef(Infinity);
  const [refused, setRefused] = useState(false);
  useEffect(() => {
    since.current = performance.now();
  }, [subject]);
  useEffect(() => {
    if (!refused) return;
    const timer = setTimeout(() => setRefused(false), EXPLAINED_MS);
    return () => clearTimeout(timer);
  }, [refused]);
  const steady = useCallback(
    (decide: () => void) => {
      const early = performance.now() - since.current < steadyMs;
      setRefused(early);
      if (early) announce(messages.decide.justChanged);
      else decide();
    },
    [steadyMs],
  );
  return [steady, refused];
}
