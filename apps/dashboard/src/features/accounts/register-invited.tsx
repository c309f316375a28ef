import type { RegisterRequest, UserResponse } from '#contracts';
import { PASSWORD_MAX, PASSWORD_MIN, USER_NAME_MAX } from '#contracts/limits';
import { PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { Callout } from '../../components/notices.js';
import { SubmitButton } from '../../components/submit-button.js';
import { expectNewcomer } from '../../components/welcome/newcomer.js';
import { failure } from '../../lib/http.js';
import { whyMessages } from '../../lib/why-messages.js';
import { logIn } from '../../lib/session.js';
import { send } from '../../lib/transport.js';
import { forgetToken } from './invitation-token.js';
import { invitationMessages } from './invitation-messages.js';
import { messages } from './messages.js';

const text = invitationMessages;

/** Creates the account of an invited person, which joins the workspace with it. */
export function RegisterInvited({ token, email }: { token: string; email: string }) {
  const form = useForm({ initialValues: { name: '', password: '' } });
  const { name, password } = form.values;
  const create = useMutation({
    mutationFn: async () => {
      const request: RegisterRequest = {
        email,
        password,
        ...(name.trim() && { name: name.trim() }),
        invitation: token,
      };
      await send<UserResponse>({ method: 'POST', path: '/auth/register', body: request });
      forgetToken();
      expectNewcomer();
      await logIn(request.email, password);
      location.assign('/dashboard/approvals');
    },
    // Do not keep the password and the token in the mutation cache.
    gcTime: 0,
  });
  const why = password.length < PASSWORD_MIN ? whyMessages.newPassword : null;
  return (
    <form
      onSubmit={form.onSubmit(() => {
        if (why === null) create.mutate();
      })}
    >
      <Stack gap="lg">
        <TextInput
          label={messages.email}
          description={text.emailHint}
          type="email"
          autoComplete="username"
          size="md"
          readOnly
          value={email}
        />
        <TextInput
          label={text.name}
          description={text.nameHint}
          autoComplete="name"
          maxLength={USER_NAME_MAX}
          size="md"
          {...form.getInputProps('name')}
        />
        <PasswordInput
          label={messages.password}
          description={text.passwordHint}
          autoComplete="new-password"
          maxLength={PASSWORD_MAX}
          size="md"
          {...form.getInputProps('password')}
        />
        <div role="alert">{create.isError && <Callout tone="danger">{problem(create.error)}</Callout>}</div>
        <SubmitButton size="md" fullWidth loading={create.isPending || create.isSuccess} why={why}>
          {text.register}
        </SubmitButton>
      </Stack>
    </form>
  );
}

function problem(error: unknown): string {
  const { status, message } = failure(error);
  return { 404: text.unknown, 409: text.emailTaken, 410: text.over }[status] ?? message;
}
