import { announcement } from '../lib/announce.js';
import { useStore } from '../lib/store.js';

/** The live region of the page. A no-break space at the end makes the same words a new text. */
export function Announcer() {
  const { text, count } = useStore(announcement);
  return (
    <div role="status" aria-live="polite" className="visually-hidden">
      {text}
      {count % 2 === 1 ? '\u00A0' : ''}
    </div>
  );
}
