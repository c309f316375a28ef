import { Button, Divider, Text } from '@mantine/core';
import { Callout } from '../../components/notices.js';
import { expectSession } from '../../lib/session.js';
import { messages } from './messages.js';

interface Props {
  /** The name of the provider. */
  name: string;
  next: string;
  /** Whether this is the only way to log in. */
  alone: boolean;
  /** Whether the password form follows. */
  divided: boolean;
  /** Whether the page has input that the way to the provider and back loses. */
  losesInput?: boolean;
}

/** A link to the OpenID provider. It is not a button, because the browser leaves this page. */
export function SingleSignOn({ name, next, alone, divided, losesInput = false }: Props) {
  const returnTo = `/dashboard${next}`;
  return (
    <>
      <Button
        component="a"
        href={`/auth/oidc/start?${new URLSearchParams({ returnTo }).toString()}`}
        onClick={expectSession}
        size="md"
        fullWidth
        variant={alone ? 'filled' : 'default'}
      >
        {messages.continueWith(name)}
      </Button>
      {losesInput && (
        <Text c="dimmed" size="sm">
          {messages.losesInput}
        </Text>
      )}
      {!alone && divided && <Divider label={messages.or} />}
    </>
  );
}

/** Why the last sign-in with the provider failed. */
export function SignInFault({ code }: { code: string | null }) {
  if (code === null) return null;
  return (
    <div role="alert">
      <Callout tone={code === 'cancelled' ? 'warning' : 'danger'}>
        {messages.faults[code as keyof typeof messages.faults] ?? messages.faults.sign_in_failed}
      </Callout>
    </div>
  );
}
