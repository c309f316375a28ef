import { useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { useLocation } from 'react-router';
import type { VirtualListHandle } from '../../components/virtual-list.js';
import { leavePlace, leftPlace } from './left-place.js';

/**
 * Remembers how far the list and its page are scrolled, and scrolls there again when the person comes back from the page
 * of a request.
 * @returns how far the list is scrolled at first
 */
export function useLeftPlace(list: RefObject<VirtualListHandle | null>, atMs: number): number | undefined {
  const { search } = useLocation();
  const [place] = useState(() => leftPlace(search));
  const latest = useRef({ search, atMs });
  useLayoutEffect(() => {
    latest.current = { search, atMs };
  });
  useLayoutEffect(() => {
    const page = document.querySelector('main');
    const offset = () => list.current?.offset() ?? 0;
    if (place && page) page.scrollTop = place.page;
    return () => leavePlace({ ...latest.current, list: offset(), page: page?.scrollTop ?? 0 });
  }, [place, list]);
  return place?.list;
}
