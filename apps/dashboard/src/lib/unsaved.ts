import { useEffect } from 'react';
import { sharedMessages } from './messages.js';

/**
 * What would be lost if the person left now. The value is the question to ask first; null: the page keeps it until the
 * tab closes (`drafts.ts`), so only the browser asks.
 */
const unsaved = new Map<symbol, string | null>();

/** The place in the history where something was typed, which the router counts. */
let place = 0;
let isReturning = false;

/**
 * While something is unsaved, asks before the person leaves: by a link, the way back, a key, or a closed tab.
 * @returns asks about this alone, before a dialog closes. False: the person wants to stay.
 */
export function useUnsaved(is: boolean, question: string | null = sharedMessages.leave.typed): () => boolean {
  useEffect(() => {
    if (!is) return;
    const id = Symbol('unsaved');
    place = placeOf(history.state);
    unsaved.set(id, question);
    return () => void unsaved.delete(id);
  }, [is, question]);
  return () => !is || question === null || confirm(question);
}

/** Whether the page has input, or a key, that only it keeps. */
export const hasUnsaved = (): boolean => [...unsaved.values()].some((question) => question !== null);

/** The page is about to be loaded again for another person, and the browser must not ask. */
export const forgetUnsaved = (): void => unsaved.clear();

/** Asks if something would be lost. False: the person wants to stay. */
export function mayLeave(): boolean {
  const question = [...unsaved.values()].find(Boolean);
  if (question && !confirm(question)) return false;
  // The browser must not ask again.
  if (question) unsaved.clear();
  return true;
}

const placeOf = (state: unknown): number => (state as { idx?: number } | null)?.idx ?? NaN;

function onClick(event: MouseEvent): void {
  const link = event.target instanceof Element && event.target.closest('a[href]');
  if (!(link instanceof HTMLAnchorElement) || link.target || link.download) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const stays = link.pathname === location.pathname || !link.href.startsWith(location.origin);
  if (stays || mayLeave()) return;
  event.preventDefault();
  event.stopPropagation();
}

/** The browser has already gone back. It returns if the person wants to stay, and the router never learns of it. */
function onPopState(event: PopStateEvent): void {
  const back = place - placeOf(event.state);
  if (isReturning || (back && !mayLeave())) {
    event.stopImmediatePropagation();
    if (!isReturning) history.go(back);
    isReturning = !isReturning;
  }
}

/** Called once when the page starts, before the router listens. */
export function startLeaveGuard(): void {
  addEventListener('beforeunload', (event) => {
    if (unsaved.size > 0) event.preventDefault();
  });
  document.addEventListener('click', onClick, true);
  addEventListener('popstate', onPopState, true);
}
