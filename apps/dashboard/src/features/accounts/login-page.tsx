import { Anchor, Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, Navigate, useLocation, useSearchParams } from 'react-router';
import { AccountFrame } from '../../components/account-frame.js';
import { Callout } from '../../components/notices.js';
import { Card } from '../../components/page.js';
import { PageSkeleton } from '../../components/skeletons.js';
import { now, useNow } from '../../lib/clock.js';
import { failure } from '../../lib/http.js';
import { nextPath } from '../../lib/next-path.js';
import { authMethodsQuery, setupStateQuery } from '../../lib/queries.js';
import { logIn, useSession } from '../../lib/session.js';
import { messages } from './messages.js';
import { PasskeyLogin } from './passkey-login.js';
import { SingleSignOn, SignInFault } from './single-sign-on.js';

/** The page `/login`. It also covers a page that the end of the session has hidden. */
export function Component() {
  const session = useSession();
  const [search] = useSearchParams();
  const { pathname, search: query, hash } = useLocation();
  const isCover = pathname !== '/login';
  const next = isCover ? pathname + query + hash : search.get('next');
  const setup = useQuery({ ...setupStateQuery, enabled: session !== 'active' });
  const methods = useQuery({ ...authMethodsQuery, enabled: session !== 'active' });
  useEffect(() => {
    if (!isCover) document.title = messages.title;
  }, [isCover]);
  // Also runs when the user logs in in another tab.
  if (session === 'active') return <Navigate to={nextPath(next)} replace />;
  if (setup.data?.setupRequired) return <Navigate to="/setup" replace />;
  // Wait for the answer: if the setup page replaced this page later, typed text would be lost.
  if (setup.isLoading || methods.isLoading) return <PageSkeleton />;
  // If the request failed, a password may still help.
  const { password = true, oidc = null, passkeys = false } = methods.data ?? {};
  return (
    <AccountFrame>
      <Card>
        <Stack gap="lg">
          <div>
            <Title order={1}>{messages.title}</Title>
            <Text c="dimmed">{isCover ? messages.covered : next !== null ? messages.ended : messages.tagline}</Text>
          </div>
          <SignInFault code={search.get('error')} />
          {!navigator.cookieEnabled && <Callout tone="warning">{messages.noCookies}</Callout>}
          {oidc && (
            <SingleSignOn
              name={oidc.name}
              next={nextPath(next)}
              alone={!password}
              divided={!passkeys}
              losesInput={isCover}
            />
          )}
          {passkeys && <PasskeyLogin />}
          {password && <LoginForm />}
        </Stack>
      </Card>
      {setup.data?.registrationOpen && password && !isCover && (
        <Anchor component={Link} to="/setup" mt="lg" display="inline-block">
          {messages.createAccount}
        </Anchor>
      )}
    </AccountFrame>
  );
}

function LoginForm() {
  // The page of an invitation knows the e-mail.
  const invited = (useLocation().state as { email?: string } | null)?.email ?? '';
  const [email, setEmail] = useState(invited);
  const [password, setPassword] = useState('');
  const [blockedUntil, setBlockedUntil] = useState(0);
  const login = useMutation({
    mutationFn: () => logIn(email, password),
    onError: (error) => {
      const { retryAfterSeconds } = failure(error);
      if (retryAfterSeconds) setBlockedUntil(now() + retryAfterSeconds * 1000);
    },
  });
  const wait = useNow((nowMs) => Math.ceil(Math.max(0, blockedUntil - nowMs) / 1000));
  const problem =
    wait > 0
      ? messages.wait(wait)
      : login.isError && !failure(login.error).retryAfterSeconds
        ? failure(login.error).message
        : null;

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        login.mutate();
      }}
    >
      <Stack gap="lg">
        <TextInput
          label={messages.email}
          type="email"
          name="email"
          autoComplete="username webauthn"
          size="md"
          required
          withAsterisk={false}
          autoFocus={!invited}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label={messages.password}
          name="password"
          autoComplete="current-password"
          autoFocus={invited !== ''}
          size="md"
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <div role="alert">{problem && <Callout tone="danger">{problem}</Callout>}</div>
        <Button type="submit" size="md" fullWidth loading={login.isPending} disabled={wait > 0}>
          {messages.submit}
        </Button>
      </Stack>
    </form>
  );
}
