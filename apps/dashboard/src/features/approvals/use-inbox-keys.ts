import { useShortcuts } from '../../lib/keyboard.js';
import { messages } from './messages.js';
import type { useMoves } from './use-moves.js';
import type { useSelection } from './use-selection.js';

interface Keys {
  moves: ReturnType<typeof useMoves>;
  selection: ReturnType<typeof useSelection>;
  /** Whether list and action are side by side. */
  wide: boolean;
  /** Whether the tab has a select mode. */
  selectable: boolean;
}

/** The shortcuts of the list. */
export function useInboxKeys({ moves, selection, wide, selectable }: Keys): void {
  useShortcuts(messages.keys.scope, [
    { keys: 'j', label: messages.keys.next, run: () => moves.go(1) },
    { keys: 'k', label: messages.keys.previous, run: () => moves.go(-1) },
    { keys: 'Enter', label: messages.keys.open, run: () => document.querySelector<HTMLElement>('article h1')?.focus() },
    {
      keys: 'x',
      label: messages.keys.select,
      run: () => {
        const group = moves.focused();
        if (group && selectable) selection.toggle(group);
      },
    },
    {
      keys: 'Escape',
      label: messages.keys.back,
      run: () => (selection.ids ? selection.stop() : wide ? undefined : moves.back()),
    },
  ]);
}
