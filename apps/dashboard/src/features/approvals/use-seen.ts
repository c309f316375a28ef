import type { Action, ActionContext } from '#contracts';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { firstHeader } from '../../components/request/request-texts.js';
import { announce } from '../../lib/announce.js';
import { requestParts, type RequestPart } from '../../lib/request-parts.js';
import { SeenParts } from '../../lib/seen-parts.js';
import { messages } from './messages.js';
import { pressedAt, STEADY_MS } from './steady.js';

/** Follows which values of an action have been on the screen, between the top of it and the bar at its foot. */
export function useSeenParts(action: Action | undefined): {
  seen: SeenParts | null;
  article: (element: HTMLElement | null) => void;
  bar: (element: HTMLElement | null) => void;
} {
  const [article, setArticle] = useState<HTMLElement | null>(null);
  const [bar, setBar] = useState<HTMLElement | null>(null);
  const id = action?.action_id;
  const hasParts = action?.parts !== undefined;
  const seen = useMemo(
    () => (action ? new SeenParts(requestParts(action, firstHeader(action.headers, 'content-type'))) : null),
    // Polls bring the same request again. What was seen of it stays seen.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [id, action?.digest, action?.body, hasParts],
  );
  useEffect(() => (seen && article && bar ? seen.watch(article, bar) : undefined), [seen, article, bar]);
  return { seen, article: setArticle, bar: setBar };
}

/** The page accepts decisions later than this (`UNREAD_MS`). */
const READY_MS = 900;

/**
 * Approving what was never on the screen takes a second press: the first one goes there.
 * @returns the guard around an approval, and what to say above the buttons
 */
export function useUnseen(seen: SeenParts, context: ActionContext | undefined) {
  const left = useSyncExternalStore(seen.subscribe, seen.snapshot);
  const [went, setWent] = useState<{ seen: SeenParts; at: number } | null>(null);
  // Of a request that has changed since, nothing was seen.
  const wentAt = went?.seen === seen ? went.at : null;
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    // Until then nothing is known to be seen, and the words would only flash.
    const timer = setTimeout(() => setReady(true), READY_MS);
    return () => clearTimeout(timer);
  }, []);
  const words = isReady ? wordsOf(left, seen.request.more, context) : null;

  function guard(approve: () => void): void {
    seen.noteVisible();
    const unseen = wordsOf(seen.unseen, seen.request.more, context);
    if (unseen === null || (wentAt !== null && pressedAt() - wentAt >= STEADY_MS)) approve();
    else if (wentAt === null) {
      setWent({ seen, at: pressedAt() });
      announce(messages.unseen.pressAgain(unseen));
      showFirst(seen);
    }
  }
  // Where the first press brought all of it on the screen, it still approved nothing.
  return { guard, words: wentAt === null ? words : messages.unseen.pressAgain(words ?? messages.unseen.shown) };
}

/** What was not on the screen, in words. Null: all was. */
function wordsOf(left: readonly RequestPart[], more: number, context: ActionContext | undefined): string | null {
  const count = left.length + more;
  if (count === 0) return null;
  return count === 1 && left[0]?.id === 't'
    ? messages.unseen.text
    : messages.unseen.fields(count, newFields(left, context));
}

/** How many fields that no earlier request has were not on the screen. */
const newFields = (unseen: readonly RequestPart[], context: ActionContext | undefined): number =>
  (context?.differences?.fields ?? []).filter(
    ({ kind, pointer }) =>
      kind === 'new_field' && unseen.some((part) => part.pointer === pointer || part.pointer.startsWith(`${pointer}/`)),
  ).length;

/** Goes to the first value that was not on the screen. If it is folded, to the request, where it can be unfolded. */
function showFirst(seen: SeenParts): void {
  const unseen = new Set(seen.unseen.map(({ id }) => id));
  const rows = [...document.querySelectorAll<HTMLElement>('article [data-part], article [data-from]')];
  const isFirst = ({ dataset }: HTMLElement) =>
    dataset['part'] === undefined ? !seen.hasText(Number(dataset['from'])) : unseen.has(dataset['part']);
  const row = rows.find(isFirst) ?? document.querySelector<HTMLElement>('article [data-folded]') ?? rows.at(-1);
  if (row === undefined) return;
  row.tabIndex = -1;
  row.scrollIntoView({ block: 'center' });
  row.focus({ preventScroll: true });
}
