import { useEffect, useRef, type RefObject } from 'react';

/** Scrolls the current tab into view when `current` or the width of the row changes. */
export function useTabInView(current: string): RefObject<HTMLElement | null> {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const row = tabs.current;
    if (row === null) return;
    // The observer also calls back when it starts to observe.
    const observer = new ResizeObserver(() =>
      row
        .querySelector('[aria-current]:not([aria-current=false])')
        ?.scrollIntoView({ block: 'nearest', inline: 'center' }),
    );
    observer.observe(row);
    return () => observer.disconnect();
  }, [current]);
  return tabs;
}
