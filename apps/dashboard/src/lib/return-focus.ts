import { useEffect } from 'react';

/** For a dialog that leaves the page when it closes: gives the focus back to what opened it, if that is still there. */
export function useReturnFocus(): void {
  useEffect(() => {
    const opener = document.activeElement;
    return () => {
      // After the dialog has left, which would take the focus along.
      setTimeout(() => {
        if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
      });
    };
  }, []);
}
