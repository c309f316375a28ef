import type { CreatedInvitation, Role } from '#contracts';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { CopyButton } from '../../components/copy-button.js';
import { Callout } from '../../components/notices.js';
import { oneTimeSecretMessages } from '../../components/one-time-secret-messages.js';
import { roleMessages } from '../../lib/role-messages.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { messages } from './messages.js';

const text = messages.invitations;

export interface Outcome {
  email: string;
  role: Role;
  /** The link, or the reason why there is none. */
  result: Pick<CreatedInvitation, 'url' | 'mail'> | { fault: string };
}

interface Props {
  outcomes: readonly Outcome[];
  /** The first of the people who were invited last. Null: nobody yet. */
  latest: { email: string } | null;
  done: () => void;
}

/** The links of new invitations. They are shown only here. The latest one comes into view, ready to be copied. */
export function InvitationLinks({ outcomes, latest, done }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const link = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (latest === null) return;
    const target = link.current ?? box.current;
    target?.scrollIntoView({ block: 'center' });
    target?.focus({ preventScroll: true });
  }, [latest]);
  const isMailed = outcomes.some(({ result }) => 'mail' in result && result.mail !== null);
  useUnsaved(
    outcomes.some(({ result }) => 'url' in result && result.mail === null),
    oneTimeSecretMessages.leave,
  );
  return (
    <Stack ref={box} tabIndex={-1}>
      <Callout tone={isMailed ? 'info' : 'warning'}>{isMailed ? text.onceMailed : text.once}</Callout>
      {outcomes.map(({ email, role, result }) =>
        'url' in result ? (
          <Group key={email} gap="sm" align="flex-end" wrap="nowrap">
            <TextInput
              ref={email === latest?.email ? link : undefined}
              flex={1}
              miw={0}
              label={text.linkFor(email, roleMessages.roles[role])}
              description={isMailed && result.mail === null ? text.notMailed : undefined}
              // Without PUBLIC_URL, the link is a path.
              value={new URL(result.url, location.origin).href}
              readOnly
              onFocus={(event) => event.currentTarget.select()}
              classNames={{ input: 'mono' }}
              styles={{ input: { textOverflow: 'ellipsis' } }}
            />
            <CopyButton text={new URL(result.url, location.origin).href} size="sm" />
          </Group>
        ) : (
          <Text key={email} c="var(--agw-critical)" size="sm">
            {text.fault(email, result.fault)}
          </Text>
        ),
      )}
      <Group>
        <Button variant="default" onClick={done}>
          {isMailed ? text.doneMailed : text.done}
        </Button>
      </Group>
    </Stack>
  );
}
