import { useCallback, useEffect, useLayoutEffect, useRef, useState, type MouseEvent } from 'react';
import { announce } from '../../lib/announce.js';
import { messages } from './messages.js';

/** People cannot read and decide faster. An earlier press after a change was meant for the old content. */
export const STEADY_MS = 400;
/** A new action takes longer to read. An earlier press was meant for the previous action. */
export const UNREAD_MS = 1200;
/** How long the explanation of a refused press is visible. */
const EXPLAINED_MS = 3000;

/** When the person pressed. A busy page handles a press late, and its content may have changed by then. */
export const pressedAt = (): number => window.event?.timeStamp ?? performance.now();

/**
 * The same for a list: it refuses presses within 400 ms after its rows move. A longer list or another list does not
 * count as moved.
 * @returns a handler for the capture phase of clicks
 */
export function useSteadyRows(ids: readonly string[]): (click: MouseEvent) => void {
  const rows = useRef(ids);
  const movedAt = useRef(-Infinity);
  useLayoutEffect(() => {
    if (ids.length > 0 && rows.current.some((id, index) => ids[index] !== id)) movedAt.current = performance.now();
    rows.current = ids;
  }, [ids]);
  return (click) => {
    // A key press acts on the focused row, even if the row moved.
    if (click.detail === 0 || click.timeStamp - movedAt.current >= STEADY_MS) return;
    click.preventDefault();
    click.stopPropagation();
    announce(messages.justMoved);
  };
}

/**
 * Wraps a decision. It does nothing within `steadyMs` after `subject` appears or changes.
 * @returns the wrapper, and whether a press was just refused
 */
export function useSteady(
  subject: string,
  steadyMs = STEADY_MS,
): [steady: (decide: () => void) => void, refused: boolean] {
  const since = useRef(Infinity);
  const [refused, setRefused] = useState(false);
  useLayoutEffect(() => {
    since.current = performance.now();
  }, [subject]);
  useEffect(() => {
    if (!refused) return;
    const timer = setTimeout(() => setRefused(false), EXPLAINED_MS);
    return () => clearTimeout(timer);
  }, [refused]);
  const steady = useCallback(
    (decide: () => void) => {
      const early = pressedAt() - since.current < steadyMs;
      setRefused(early);
      if (early) announce(messages.decide.justChanged);
      else decide();
    },
    [steadyMs],
  );
  return [steady, refused];
}
