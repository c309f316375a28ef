import { useStore } from '@nanostores/react';
import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import { pageTitle } from '../lib/title.js';

/**
 * Moves the focus to the heading of a new page, for keyboards and screen readers. The first page keeps the browser's
 * focus.
 */
export function useFocusOnRoute(main: React.RefObject<HTMLElement | null>): void {
  const { pathname } = useLocation();
  const section = pathname.split('/')[1];
  const title = useStore(pageTitle);
  const before = useRef(section);
  const due = useRef(false);
  useEffect(() => {
    if (before.current !== section) due.current = true;
    before.current = section;
    if (!due.current) return;
    // While the code of the page loads, there is no new heading, and the old one is hidden. The title changes when the
    // heading exists.
    const headings = main.current?.querySelectorAll('h1') ?? [];
    const heading = [...headings].find((each) => each.checkVisibility());
    (heading ?? main.current)?.focus();
    due.current = document.activeElement !== heading;
  }, [section, title, main]);
}
