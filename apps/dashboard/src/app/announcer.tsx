import { useStore } from '@nanostores/react';
import { announcement } from '../lib/announce.js';

/**
 * The live region of the page. An extra no-break space makes a repeated text different, so that screen readers read it
 * again.
 */
export function Announcer() {
  const { text, count } = useStore(announcement);
  return (
    <div role="status" aria-live="polite" className="visually-hidden">
      {text}
      {count % 2 === 1 ? '\u00A0' : ''}
    </div>
  );
}
