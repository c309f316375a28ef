import { useEffect, useRef, type RefObject } from 'react';

/** Scrolls the current tab into view when `current` changes. */
export function useTabInView(current: string): RefObject<HTMLElement | null> {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    tabs.current
      ?.querySelector('[aria-current]:not([aria-current=false])')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
  return tabs;
}
