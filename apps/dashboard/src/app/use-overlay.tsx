import { useState, type ComponentType, type ReactNode } from 'react';
import { sharedMessages } from '../lib/messages.js';
import { showFailure } from '../lib/toasts.js';
import { leave } from './leave.js';
import { isReplaced } from './replaced.js';

interface OverlayProps {
  close: () => void;
  leave: () => void;
}

const overlays = {
  palette: () => import('./palette.js'),
  more: () => import('./more-sheet.js'),
  sheet: () => import('./shortcut-sheet.js'),
} satisfies Record<string, () => Promise<{ default: ComponentType<OverlayProps> }>>;

type Name = keyof typeof overlays;

/**
 * The dialogs that every page can open. Their code loads when they are opened. If it cannot load, a toast says why. It
 * does not reload the page, because the page may have input.
 */
export function useOverlay(): { open: (name: Name) => void; shown: ReactNode } {
  const [overlay, setOverlay] = useState<{ name: Name; shown: ReactNode } | null>(null);
  const close = () => setOverlay(null);

  /** Does nothing if another dialog was opened meanwhile. */
  const show = (name: Name, shown: ReactNode) =>
    setOverlay((now) => (now?.name === name ? (shown ? { name, shown } : null) : now));

  function open(name: Name) {
    if (overlay?.name === name) return;
    // `data-opening` turns off shortcuts while the dialog loads. A key that is meant for it must not decide.
    setOverlay({ name, shown: <div data-opening hidden /> });
    overlays[name]().then(
      ({ default: Overlay }: { default: ComponentType<OverlayProps> }) =>
        show(name, <Overlay close={close} leave={leave} />),
      async () => {
        show(name, null);
        // Some browsers keep a failed load until the page is loaded again.
        const isReachable = await isReplaced().then(
          () => true,
          () => false,
        );
        showFailure(new Error(isReachable ? sharedMessages.errors.newPart : sharedMessages.errors.offline));
      },
    );
  }
  return { open, shown: overlay?.shown };
}
