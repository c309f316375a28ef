import type { MessageResponse, Passkey } from '#contracts';
import { PASSKEY_NAME_MAX } from '#contracts/limits';
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Callout } from '../../components/notices.js';
import { SubmitButton } from '../../components/submit-button.js';
import { del, failure, patch } from '../../lib/http.js';
import { messages as shared } from '../../lib/messages.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { showDone } from '../../lib/toasts.js';
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
      return queryClient.invalidateQueries({ queryKey: ['passkeys'] });
    },
  });
}

export function RenamePasskey({ passkey, close }: Props) {
  useReturnFocus();
  const [name, setName] = useState(passkey.name);
  const given = name.trim();
  const rename = useChange(() => patch<Passkey>(`/auth/passkeys/${passkey.id}`, { name: given }), text.renamed, close);
  const why = given === '' ? shared.why.name(1) : given === passkey.name ? shared.why.unchanged : null;
  return (
    <Modal opened onClose={close} title={text.renameIt(passkey.name)}>
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
          <div role="alert">{rename.isError && <Callout tone="danger">{failure(rename.error).message}</Callout>}</div>
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {shared.actions.cancel}
            </Button>
            <SubmitButton why={why} loading={rename.isPending}>
              {text.rename}
            </SubmitButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

export function RemovePasskey({ passkey, close }: Props) {
  useReturnFocus();
  const remove = useChange(() => del<MessageResponse>(`/auth/passkeys/${passkey.id}`), text.removed, close);
  return (
    <Modal opened onClose={close} title={text.removeIt(passkey.name)}>
      <Stack>
        <Text>{text.removeText}</Text>
        <div role="alert">{remove.isError && <Callout tone="danger">{failure(remove.error).message}</Callout>}</div>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" data-autofocus onClick={close}>
            {shared.actions.cancel}
          </Button>
          <Button color="critical" loading={remove.isPending} onClick={() => remove.mutate()}>
            {text.remove}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
