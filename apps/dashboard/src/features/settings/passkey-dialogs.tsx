import type { MessageResponse, Passkey } from '#contracts';
import { PASSKEY_NAME_MAX } from '#contracts/limits';
import { Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { FormFoot } from '../../components/form-foot.js';
import { del, patch } from '../../lib/http.js';
import { whyMessages } from '../../lib/why-messages.js';
import { queryKeys } from '../../lib/query-keys.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { showDone } from '../../lib/toasts.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { messages } from './messages.js';

const text = messages.passkeys;

interface Props {
  passkey: Passkey;
  close: () => void;
}

/** A change of a passkey, after which the list is read again. */
function useChange<T, V = void>(change: (value: V) => Promise<T>, done: string, close: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => {
      showDone(done);
      close();
      return queryClient.invalidateQueries({ queryKey: queryKeys.passkeys });
    },
  });
}

export function RenamePasskey({ passkey, close }: Props) {
  useReturnFocus();
  const [name, setName] = useState(passkey.name);
  const given = name.trim();
  const rename = useChange(() => patch<Passkey>(`/auth/passkeys/${passkey.id}`, { name: given }), text.renamed, close);
  const mayClose = useUnsaved(given !== passkey.name);
  const why = given === '' ? whyMessages.name(1) : given === passkey.name ? whyMessages.unchanged : null;
  return (
    <Modal opened onClose={() => mayClose() && close()} title={text.renameIt(passkey.name)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (why === null) rename.mutate();
        }}
      >
        <Stack>
          <TextInput
            data-autofocus
            label={text.name}
            maxLength={PASSKEY_NAME_MAX}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <FormFoot atEnd label={text.rename} why={why} save={rename} cancel={close} />
        </Stack>
      </form>
    </Modal>
  );
}

export function RemovePasskey({ passkey, close }: Props) {
  const remove = useChange(() => del<MessageResponse>(`/auth/passkeys/${passkey.id}`), text.removed, close);
  return (
    <ConfirmDialog danger title={text.removeIt(passkey.name)} label={text.remove} change={remove} close={close}>
      <Text>{text.removeText}</Text>
    </ConfirmDialog>
  );
}
