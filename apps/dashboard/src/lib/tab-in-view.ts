import { useEffect, useRef, type RefObject } from 'react';

/** Scrolls the current tab into view when `current`, the width of the row or that of the tab changes. */
export function useTabInView(current: string): RefObject<HTMLElement | null> {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const row = tabs.current;
    if (row === null) return;
    const tab = row.querySelector('[aria-current]:not([aria-current=false])');
    // The observer also calls back when it starts to observe.
    const observer = new ResizeObserver(() => tab?.scrollIntoView({ block: 'nearest', inline: 'center' }));
    observer.observe(row);
    // Its count comes later.
    if (tab) observer.observe(tab);
    return () => observer.disconnect();
  }, [current]);
  return tabs;
}
