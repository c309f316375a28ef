import { useEffect, useState } from 'react';

/** Publishes the height of the bar at the foot of the page, so that toasts never cover its buttons and fields. */
export function useFoot(): (bar: HTMLElement | null) => void {
  const [bar, setBar] = useState<HTMLElement | null>(null);
  useEffect(() => {
    if (!bar) return;
    const { style } = document.documentElement;
    // On phones, the tab bar is below this bar.
    const page = bar.closest('main');
    const observer = new ResizeObserver(() => {
      const below = page ? Math.max(0, window.innerHeight - page.getBoundingClientRect().bottom) : 0;
      style.setProperty('--agw-foot', `${bar.offsetHeight + below}px`);
    });
    observer.observe(bar);
    return () => {
      observer.disconnect();
      style.removeProperty('--agw-foot');
    };
  }, [bar]);
  return setBar;
}
