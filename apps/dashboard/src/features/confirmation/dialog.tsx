import type { Confirmation, ConfirmRequest, PasskeyOptions } from '#contracts';
import { Button, Divider, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Loaded } from '../../components/loaded.js';
import { Callout } from '../../components/notices.js';
import { SubmitButton } from '../../components/submit-button.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { timeOfDay } from '../../lib/format.js';
import { failure, get, post } from '../../lib/http.js';
import { sharedMessages } from '../../lib/messages.js';
import { whyMessages } from '../../lib/why-messages.js';
import { queryKeys } from '../../lib/query-keys.js';
import { passkeysSupported, signWithPasskey } from '../../components/passkeys/ceremony.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { showDone } from '../../lib/toasts.js';
import type { Call } from '../../lib/transport.js';
import { messages } from './messages.js';

interface Props {
  answer: (confirmed: boolean) => void;
  /** The call that was refused. */
  call: Call;
}

/** What the person confirms: the title of the open dialog, or else that of the page and what the call does. */
function toSubject({ method = 'GET', path, about }: Call): string {
  if (about !== undefined) return about;
  const titles = [...document.querySelectorAll('[role=dialog] h2, main h1')];
  const title = titles.findLast((each) => each.checkVisibility());
  const isPage = title?.matches('h1') ?? true;
  const does = isPage && messages.calls.find(([call]) => call.test(`${method} ${path}`))?.[1];
  return [title?.textContent, does].filter(Boolean).join(' · ');
}

/** Asks the person to confirm with a passkey or the password. The refused call is then sent again. */
export default function ConfirmationDialog({ answer, call }: Props) {
  // Read before this dialog covers it.
  const [subject] = useState(() => toSubject(call));
  useReturnFocus();
  const state = useQuery({
    queryKey: queryKeys.confirmation,
    queryFn: ({ signal }) => get<Confirmation>('/auth/confirm', undefined, signal),
    gcTime: 0,
  });
  const confirm = useMutation({
    mutationFn: async (proof: () => Promise<ConfirmRequest>) => post<Confirmation>('/auth/confirm', await proof()),
    onSuccess: ({ confirmedUntil }) => {
      if (confirmedUntil !== null) showDone(messages.done(timeOfDay(confirmedUntil)));
      answer(true);
    },
    // Do not keep the password in the mutation cache.
    gcTime: 0,
  });
  const usePasskey = async (): Promise<ConfirmRequest> => ({
    passkey: await signWithPasskey(await post<PasskeyOptions>('/auth/confirm/options')),
  });
  return (
    <Modal opened onClose={() => answer(false)} title={messages.title}>
      <Loaded query={state}>
        {({ password, passkey }) => (
          <Stack>
            {subject !== '' && (
              <Text fw={600} lineClamp={4}>
                <UntrustedText text={subject} inline />
              </Text>
            )}
            <Text size="sm">{password || passkey ? messages.lead : messages.nothing}</Text>
            {passkey && passkeysSupported() && (
              <Button autoFocus fullWidth disabled={confirm.isPending} onClick={() => confirm.mutate(usePasskey)}>
                {messages.passkey}
              </Button>
            )}
            {passkey && password && <Divider label={messages.or} />}
            <div role="alert">
              {confirm.isError && <Callout tone="danger">{failure(confirm.error).message}</Callout>}
            </div>
            <PasswordForm
              offered={password}
              focused={!passkey}
              busy={confirm.isPending}
              onSubmit={(given) => confirm.mutate(() => Promise.resolve({ password: given }))}
              cancel={() => answer(false)}
            />
          </Stack>
        )}
      </Loaded>
    </Modal>
  );
}

interface FormProps {
  offered: boolean;
  focused: boolean;
  busy: boolean;
  onSubmit: (password: string) => void;
  cancel: () => void;
}

function PasswordForm({ offered, focused, busy, onSubmit, cancel }: FormProps) {
  const [password, setPassword] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (password !== '') onSubmit(password);
      }}
    >
      <Stack>
        {offered && (
          <PasswordInput
            autoFocus={focused}
            label={messages.password}
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={cancel}>
            {sharedMessages.actions.cancel}
          </Button>
          {offered && (
            <SubmitButton atEnd why={password === '' ? whyMessages.password : null} loading={busy}>
              {messages.confirm}
            </SubmitButton>
          )}
        </Group>
      </Stack>
    </form>
  );
}
