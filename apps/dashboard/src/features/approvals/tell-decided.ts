import type { ReactNode } from 'react';
import { announce } from '../../lib/announce.js';
import { showDone } from '../../lib/toasts.js';

/** On a phone, the page of the action stays, and says what was decided where no toast covers the request. */
export const hasToasts = (): boolean => matchMedia('(min-width: 64em)').matches;

export function tellDecided(text: string, more?: ReactNode, until?: string | null): void {
  if (hasToasts()) showDone(text, more, until);
  else announce(text);
}
