import { useEffect } from 'react';

/**
 * For a dialog that is unmounted when it closes: returns the focus to the element that opened it, if it still exists.
 */
export function useReturnFocus(): void {
  useEffect(() => {
    const opener = document.activeElement;
    return () => {
      // Wait until the dialog is gone, because it would take the focus with it.
      setTimeout(() => {
        if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
      });
    };
  }, []);
}
