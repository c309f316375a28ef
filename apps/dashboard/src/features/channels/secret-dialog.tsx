import { Modal } from '@mantine/core';
import { OneTimeSecret } from '../../components/one-time-secret.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { messages } from './messages.js';

const text = messages.secret;

/** Closes only when the person says that the secret is stored. */
export function SecretDialog({ name, secret, onStored }: { name: string; secret: string; onStored: () => void }) {
  useReturnFocus();
  return (
    <Modal
      opened
      size="lg"
      title={text.title(name)}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      onClose={() => {}}
    >
      <OneTimeSecret label={text.label} value={secret} once={text.once} storedLabel={text.stored} onStored={onStored} />
    </Modal>
  );
}
