import type { ChangePasswordRequest, MessageResponse } from '#contracts';
import { PASSWORD_MAX } from '#contracts/limits';
import { Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Callout } from '../../components/notices.js';
import { Card, Section } from '../../components/page.js';
import { failure, post } from '../../lib/http.js';
import { passwordMessages } from '../../lib/password-messages.js';
import { passwordStrength } from '../../lib/password-strength.js';
import { meQuery } from '../../lib/queries.js';
import { showDone } from '../../lib/toasts.js';
import { messages } from './messages.js';
import { SubmitButton } from '../../components/submit-button.js';
import { whyMessages } from '../../lib/why-messages.js';
import { queryKeys } from '../../lib/query-keys.js';
import { useUnsaved } from '../../lib/unsaved.js';

const text = messages.password;
const COLORS = { short: 'dimmed', weak: 'var(--agw-medium)', good: 'var(--agw-low)', strong: 'var(--agw-low)' };

export function ChangePassword() {
  const queryClient = useQueryClient();
  const { data: me } = useQuery(meQuery);
  const form = useForm({ initialValues: { current: '', next: '' } });
  const { current, next } = form.values;
  useUnsaved(current !== '' || next !== '');
  const change = useMutation({
    mutationFn: (request: ChangePasswordRequest) => post<MessageResponse>('/auth/password', request),
    onSuccess: () => {
      form.reset();
      showDone(text.saved);
      return queryClient.invalidateQueries({ queryKey: queryKeys.sessions });
    },
    // Do not keep the passwords in the mutation cache.
    gcTime: 0,
  });
  const strength = passwordStrength(next);
  const ready = current !== '' && strength !== 'short';
  return (
    <Section title={text.title}>
      <Card>
        <form
          onSubmit={form.onSubmit(() => {
            if (ready) change.mutate({ currentPassword: current, newPassword: next });
          })}
        >
          <Stack>
            <Text c="dimmed" size="sm">
              {text.lead}
            </Text>
            {/* Password managers need the user name. */}
            <input type="text" autoComplete="username" value={me?.email ?? ''} readOnly hidden />
            <PasswordInput label={text.current} autoComplete="current-password" {...form.getInputProps('current')} />
            <div>
              <PasswordInput
                label={text.next}
                autoComplete="new-password"
                maxLength={PASSWORD_MAX}
                aria-describedby="strength"
                {...form.getInputProps('next')}
              />
              <Text id="strength" mt="xs" size="sm" c={next === '' ? 'dimmed' : COLORS[strength]} aria-live="polite">
                {next === '' ? passwordMessages.rule : passwordMessages.strength[strength]}
              </Text>
            </div>
            <div role="alert">{change.isError && <Callout tone="danger">{failure(change.error).message}</Callout>}</div>
            <Group gap="sm">
              <SubmitButton
                why={ready ? null : current === '' ? whyMessages.password : whyMessages.newPassword}
                loading={change.isPending}
              >
                {text.save}
              </SubmitButton>
            </Group>
          </Stack>
        </form>
      </Card>
    </Section>
  );
}
