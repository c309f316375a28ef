import type { ChangePasswordRequest, MessageResponse } from '#contracts';
import { PASSWORD_MAX } from '#contracts/limits';
import { PasswordInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Callout } from '../../components/notices.js';
import { Card, Section } from '../../components/page.js';
import { failure, post } from '../../lib/http.js';
import { passwordStrength } from '../../lib/password-strength.js';
import { meQuery } from '../../lib/queries.js';
import { showDone } from '../../lib/toasts.js';
import { messages } from './messages.js';
import classes from './settings.module.css';
import { SubmitButton } from '../../components/submit-button.js';
import { messages as shared } from '../../lib/messages.js';

const text = messages.password;

export function ChangePassword() {
  const queryClient = useQueryClient();
  const { data: me } = useQuery(meQuery);
  const form = useForm({ initialValues: { current: '', next: '' } });
  const { current, next } = form.values;
  const change = useMutation({
    mutationFn: (request: ChangePasswordRequest) => post<MessageResponse>('/auth/password', request),
    onSuccess: () => {
      form.reset();
      showDone(text.saved);
      return queryClient.invalidateQueries({ queryKey: ['sessions'] });
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
          className={classes.form}
          onSubmit={form.onSubmit(() => {
            if (ready) change.mutate({ currentPassword: current, newPassword: next });
          })}
        >
          <div className={classes.dim}>{text.lead}</div>
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
            <div
              id="strength"
              className={classes.strength}
              data-strength={next ? strength : undefined}
              aria-live="polite"
            >
              {next === '' ? text.rule : text.strength[strength]}
            </div>
          </div>
          <div role="alert">{change.isError && <Callout tone="danger">{failure(change.error).message}</Callout>}</div>
          <SubmitButton
            className={classes.start}
            why={ready ? null : current === '' ? shared.why.password : shared.why.newPassword}
            loading={change.isPending}
          >
            {text.save}
          </SubmitButton>
        </form>
      </Card>
    </Section>
  );
}
