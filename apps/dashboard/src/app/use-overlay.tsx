import { useState, type ComponentType, type ReactNode } from 'react';
import { sharedMessages } from '../lib/messages.js';
import { showFailure } from '../lib/toasts.js';
import { leave } from './leave.js';

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
 * The dialogs that every page can open. Their code loads when they are opened. If it cannot load, a toast says so, and
 * the next opening tries again.
 */
export function useOverlay(): { open: (name: Name) => void; shown: ReactNode } {
  const [overlay, setOverlay] = useState<{ name: Name; shown: ReactNode } | null>(null);
  const close = () => setOverlay(null);

  function open(name: Name) {
    if (overlay?.name === name) return;
    // `data-opening` turns off shortcuts while the dialog loads. A key that is meant for it must not decide.
    setOverlay({ name, shown: <div data-opening hidden /> });
    overlays[name]().then(
      ({ default: Overlay }: { default: ComponentType<OverlayProps> }) =>
        setOverlay({ name, shown: <Overlay close={close} leave={leave} /> }),
      () => {
        close();
        showFailure(new Error(sharedMessages.errors.offline));
      },
    );
  }
  return { open, shown: overlay?.shown };
}
