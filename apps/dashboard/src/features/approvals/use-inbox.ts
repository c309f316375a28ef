import type { ActionSummary } from '#contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { onLive } from '../../lib/live.js';
import { listQuery, readSummary } from './api.js';
import { belongs, compare, inTab, type InboxView } from './filters.js';
import { emptyInbox, reduceInbox } from './inbox.js';

const LOOK_UPS_AT_ONCE = 4;
const NOTHING_YET = emptyInbox(() => 0);

/** The inbox of one view: the server's list, updated by live events without moving rows. */
export function useInbox(view: InboxView, userId: number | undefined) {
  const query = useInfiniteQuery(listQuery(view));
  const [inbox, dispatch] = useReducer(reduceInbox, compare(view.sort), emptyInbox);
  const key = JSON.stringify(view);
  const seen = useRef({ key, pages: 0 });
  /** The view that the rows belong to. */
  const [listed, setListed] = useState(key);
  const now = useRef({ view, userId, shown: inbox.shown });
  useEffect(() => {
    now.current = { view, userId, shown: inbox.shown };
  });

  const wanted = useRef({ ids: new Set<string>(), busy: 0, latest: new Map<string, symbol>() });
  /**
   * Refetches changed actions, a few at a time, so that hundreds of changes do not flood browser or gateway. It does
   * not use the query of the action, because that would return the earlier state when its page closes.
   */
  const lookUp = useCallback((ids: readonly string[]) => {
    const queue = wanted.current;
    for (const id of ids) queue.ids.add(id);
    const work = async () => {
      for (const id of queue.ids) {
        queue.ids.delete(id);
        const turn = Symbol();
        queue.latest.set(id, turn);
        // The next event or reconnect repairs a failed refetch.
        const action = await readSummary(id).catch(() => null);
        // Otherwise a later refetch, or this person's own decision, has replaced this result.
        if (queue.latest.get(id) !== turn) continue;
        queue.latest.delete(id);
        if (action)
          dispatch({ type: 'changed', action, belongs: belongs(action, now.current.view, now.current.userId) });
      }
      queue.busy -= 1;
    };
    while (queue.busy < LOOK_UPS_AT_ONCE && queue.ids.size > 0) {
      queue.busy += 1;
      void work();
    }
  }, []);

  useEffect(() => {
    if (seen.current.key !== key) {
      seen.current = { key, pages: 0 };
      dispatch({ type: 'left', order: compare(view.sort) });
      setListed(key);
    }
    if (!query.data) return;
    const items = query.data.pages.flatMap((page) => page.items);
    const extended = seen.current.pages > 0 && query.data.pages.length > seen.current.pages;
    const again = seen.current.pages > 0 && !extended;
    seen.current.pages = query.data.pages.length;
    dispatch({
      type: 'loaded',
      items: view.tab === 'mine' ? items.filter((item) => inTab(item, 'mine', userId)) : items,
      extended,
    });
    // After a gap in the live stream, actions missing from the server's list were decided. Refetch them to see how.
    const listed = new Set(items.map(({ action_id }) => action_id));
    const gone = again ? now.current.shown.filter(({ action_id }) => !listed.has(action_id)) : [];
    lookUp(gone.map(({ action_id }) => action_id));
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `key` represents `view`
  }, [key, query.data, userId, lookUp]);

  useEffect(
    () =>
      onLive((signal) => {
        if (signal.type !== 'event') return;
        const { type, id } = signal.event;
        if (type === 'action.created' || type === 'action.updated') lookUp([String(id)]);
      }),
    [lookUp],
  );

  return {
    query,
    // The first row of the view before must not open, as if it were of this one.
    inbox: listed === key ? inbox : NOTHING_YET,
    reveal: useCallback(() => dispatch({ type: 'revealed' }), []),
    remove: useCallback((ids: readonly string[]) => {
      for (const id of ids) wanted.current.latest.delete(id);
      dispatch({ type: 'decided', ids });
    }, []),
    tidy: useCallback(
      () =>
        dispatch({
          type: 'tidied',
          belongs: (action: ActionSummary) => inTab(action, now.current.view.tab, now.current.userId),
        }),
      [],
    ),
  };
}
