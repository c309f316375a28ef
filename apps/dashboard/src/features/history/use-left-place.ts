import { useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { useLocation } from 'react-router';
import type { ListPlace, VirtualListHandle } from '../../components/virtual-list.js';
import { leavePlace, leftPlace } from './left-place.js';

/**
 * Remembers how far the list and its page are scrolled, and scrolls there again when the person comes back from the page
 * of a request.
 * @returns where the list is scrolled at first
 */
export function useLeftPlace(list: RefObject<VirtualListHandle | null>, atMs: number): ListPlace | undefined {
  const { search } = useLocation();
  const [place] = useState(() => leftPlace(search));
  const latest = useRef({ search, atMs });
  useLayoutEffect(() => {
    latest.current = { search, atMs };
  });
  useLayoutEffect(() => {
    const page = document.querySelector('main');
    const current = () => list.current?.place() ?? { offset: 0, sizes: [] };
    if (place && page) page.scrollTop = place.page;
    return () => leavePlace({ ...latest.current, list: current(), page: page?.scrollTop ?? 0 });
  }, [place, list]);
  return place?.list;
}
