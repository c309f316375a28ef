import type { RegisterRequest, UserResponse } from '#contracts';
import { EMAIL_MAX, PASSWORD_MAX, USER_NAME_MAX } from '#contracts/limits';
import { PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import axios from 'axios';
import { useState } from 'react';
import { Callout } from '../../components/Notices.js';
import { failure } from '../../lib/http.js';
import { passwordStrength } from '../../lib/password-strength.js';
import { setupStateQuery } from '../../lib/queries.js';
import { logIn } from '../../lib/session.js';
import { messages } from './messages.js';
import classes from './page.module.css';
import { SubmitButton } from '../../components/SubmitButton.js';
import { messages as shared } from '../../lib/messages.js';

/** The first account: made, and logged in at once. */
export function AccountStep({ tokenRequired }: { tokenRequired: boolean }) {
  const queryClient = useQueryClient();
  const [form, setForm] = useState({ name: '', email: '', password: '', setupToken: '' });
  const set = (field: keyof typeof form) => (event: React.ChangeEvent<HTMLInputElement>) =>
    setForm({ ...form, [field]: event.currentTarget.value });
  const create = useMutation({
    mutationFn: async () => {
      const request: RegisterRequest = {
        email: form.email.trim(),
        password: form.password,
        ...(form.name.trim() && { name: form.name.trim() }),
        ...(form.setupToken && { setupToken: form.setupToken }),
      };
      await axios.post<UserResponse>('/auth/register', request);
      await logIn(request.email, request.password);
    },
    // Somebody else may have been first.
    onError: () => void queryClient.invalidateQueries({ queryKey: setupStateQuery.queryKey }),
  });
  const strength = passwordStrength(form.password);
  const level = { short: 0, weak: 1, good: 2, strong: 3 }[strength];
  return (
    <form
      className={classes.stack}
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <TextInput
        label={messages.account.email}
        type="email"
        autoComplete="username"
        maxLength={EMAIL_MAX}
        required
        withAsterisk={false}
        autoFocus
        size="md"
        value={form.email}
        onChange={set('email')}
      />
      <div>
        <PasswordInput
          label={messages.account.password}
          autoComplete="new-password"
          maxLength={PASSWORD_MAX}
          required
          withAsterisk={false}
          size="md"
          value={form.password}
          onChange={set('password')}
          aria-describedby="password-hint"
        />
        <div className={classes.meter} aria-hidden="true">
          {[1, 2, 3].map((step) => (
            <span key={step} data-on={step <= level ? strength : undefined} />
          ))}
        </div>
        <p id="password-hint" className={classes.hint} aria-live="polite">
          {form.password === '' ? messages.account.rule : messages.account.strength[strength]}
        </p>
      </div>
      <TextInput
        label={messages.account.name}
        description={messages.account.nameHint}
        autoComplete="name"
        maxLength={USER_NAME_MAX}
        size="md"
        value={form.name}
        onChange={set('name')}
      />
      {tokenRequired && (
        <TextInput
          label={messages.account.token}
          description={messages.account.tokenHint}
          autoComplete="off"
          required
          withAsterisk={false}
          size="md"
          value={form.setupToken}
          onChange={set('setupToken')}
        />
      )}
      <div role="alert">{create.isError && <Callout tone="danger">{failure(create.error).message}</Callout>}</div>
      <SubmitButton size="md" loading={create.isPending} why={strength === 'short' ? shared.why.newPassword : null}>
        {messages.account.submit}
      </SubmitButton>
    </form>
  );
}
