import type { CreatedInvitation, Role } from '#contracts';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
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

/** The links of new invitations. They are shown only here. */
export function InvitationLinks({ outcomes, done }: { outcomes: readonly Outcome[]; done: () => void }) {
  const isMailed = outcomes.some(({ result }) => 'mail' in result && result.mail !== null);
  useUnsaved(
    outcomes.some(({ result }) => 'url' in result && result.mail === null),
    oneTimeSecretMessages.leave,
  );
  return (
    <Stack>
      <Callout tone={isMailed ? 'info' : 'warning'}>{isMailed ? text.onceMailed : text.once}</Callout>
      {outcomes.map(({ email, role, result }) =>
        'url' in result ? (
          <Group key={email} gap="sm" align="flex-end" wrap="nowrap">
            <TextInput
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
