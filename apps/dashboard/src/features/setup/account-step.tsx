import type { RegisterRequest, UserResponse } from '#contracts';
import { EMAIL_MAX, PASSWORD_MAX, USER_NAME_MAX } from '#contracts/limits';
import { Group, PasswordInput, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FormError } from '../../components/form-foot.js';
import { SubmitButton } from '../../components/submit-button.js';
import { passwordMessages } from '../../lib/password-messages.js';
import { passwordStrength } from '../../lib/password-strength.js';
import { setupStateQuery } from '../../lib/queries.js';
import { logIn } from '../../lib/session.js';
import { send } from '../../lib/transport.js';
import { messages } from './messages.js';
import { whyMessages } from '../../lib/why-messages.js';

const METER = { short: 'gray', weak: 'var(--agw-high)', good: 'var(--agw-medium)', strong: 'var(--agw-accent)' };

/** Creates the first account and logs in. */
export function AccountStep({ tokenRequired }: { tokenRequired: boolean }) {
  const queryClient = useQueryClient();
  const form = useForm({ initialValues: { name: '', email: '', password: '', setupToken: '' } });
  const { name, email, password, setupToken } = form.values;
  const create = useMutation({
    mutationFn: async () => {
      const request: RegisterRequest = {
        email: email.trim(),
        password,
        ...(name.trim() && { name: name.trim() }),
        ...(setupToken && { setupToken }),
      };
      await send<UserResponse>({ method: 'POST', path: '/auth/register', body: request });
      await logIn(request.email, request.password);
    },
    // Someone else may have created the first account.
    onError: () => void queryClient.invalidateQueries({ queryKey: setupStateQuery.queryKey }),
  });
  const strength = passwordStrength(password);
  const level = { short: 0, weak: 1, good: 2, strong: 3 }[strength];
  return (
    <form onSubmit={form.onSubmit(() => create.mutate())}>
      <Stack gap="lg">
        <TextInput
          label={messages.account.email}
          type="email"
          autoComplete="username"
          maxLength={EMAIL_MAX}
          required
          withAsterisk={false}
          autoFocus
          size="md"
          {...form.getInputProps('email')}
        />
        <div>
          <PasswordInput
            label={messages.account.password}
            autoComplete="new-password"
            maxLength={PASSWORD_MAX}
            required
            withAsterisk={false}
            size="md"
            {...form.getInputProps('password')}
            aria-describedby="password-hint"
          />
          <Group grow gap="xs" mt={6} aria-hidden="true">
            {[1, 2, 3].map((step) => (
              <Progress key={step} size={4} color={METER[strength]} value={step <= level ? 100 : 0} />
            ))}
          </Group>
          <Text id="password-hint" c="dimmed" size="sm" mt="xs" aria-live="polite">
            {password === '' ? passwordMessages.rule : passwordMessages.strength[strength]}
          </Text>
        </div>
        <TextInput
          label={messages.account.name}
          description={messages.account.nameHint}
          autoComplete="name"
          maxLength={USER_NAME_MAX}
          size="md"
          {...form.getInputProps('name')}
        />
        {tokenRequired && (
          <TextInput
            label={messages.account.token}
            description={messages.account.tokenHint}
            autoComplete="off"
            required
            withAsterisk={false}
            size="md"
            {...form.getInputProps('setupToken')}
          />
        )}
        <FormError error={create.error} />
        <Group>
          <SubmitButton
            size="md"
            loading={create.isPending}
            why={strength === 'short' ? whyMessages.newPassword : null}
          >
            {messages.account.submit}
          </SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}
