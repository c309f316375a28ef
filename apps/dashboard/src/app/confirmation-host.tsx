import { useStore } from '@nanostores/react';
import { useEffect, useState } from 'react';
import type { default as Dialog } from '../features/confirmation/dialog.js';
import { confirmation } from '../lib/confirmation.js';
import { sharedMessages } from '../lib/messages.js';

/** Loads and shows the dialog when a call needs a confirmation. */
export function ConfirmationHost() {
  const asked = useStore(confirmation);
  const [Loaded, setLoaded] = useState<typeof Dialog | null>(null);
  useEffect(() => {
    if (!asked) return;
    import('../features/confirmation/dialog.js').then(
      (module) => setLoaded(() => module.default),
      (cause: unknown) => asked.fail(new Error(sharedMessages.errors.newVersion, { cause })),
    );
  }, [asked]);
  return asked && Loaded && <Loaded answer={asked.answer} call={asked.call} />;
}
