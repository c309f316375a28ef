import { Anchor, Button, Group, List, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useMay } from '../../lib/workspace.js';
import { FormError } from '../form-foot.js';
import { passkeysSupported } from '../passkeys/ceremony.js';
import { pushMessages } from '../push/messages.js';
import { willAsk } from '../push/possibility.js';
import { useDevice, useTurnOn } from '../push/use-device.js';
import { welcomeMessages } from './messages.js';
import { endNewcomer } from './newcomer.js';

interface Props {
  component: 'aside' | 'li';
  hide: () => void;
}

/** What a new member does first. */
export default function FirstSteps({ component, hide }: Props): ReactNode {
  const decides = useMay('approver');
  const done = () => {
    endNewcomer();
    hide();
  };
  return (
    <Paper
      component={component}
      aria-label={welcomeMessages.title}
      withBorder
      radius="lg"
      p="lg"
      my="lg"
      mx="auto"
      w="calc(100% - 32px)"
      maw={560}
    >
      <Stack gap="md">
        <strong>{welcomeMessages.title}</strong>
        <List type="ordered" spacing="md">
          {decides && <Notifications />}
          {passkeysSupported() ? (
            <Step
              what={<StepLink to="/settings/security">{welcomeMessages.passkey}</StepLink>}
              why={welcomeMessages.passkeyText}
            />
          ) : (
            <Step
              what={<StepLink to="/settings/profile">{welcomeMessages.profile}</StepLink>}
              why={welcomeMessages.profileText}
            />
          )}
          <Step
            what={<StepLink to="/history?tab=decisions">{welcomeMessages.decisions}</StepLink>}
            why={welcomeMessages.decisionsText}
          />
          {!decides && (
            <Step
              what={<StepLink to="/settings/members">{welcomeMessages.members}</StepLink>}
              why={welcomeMessages.membersText}
            />
          )}
        </List>
        <Group>
          <Button variant="default" onClick={done}>
            {welcomeMessages.done}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

/** With one press here, if the browser can. */
function Notifications() {
  const device = useDevice();
  const turnOn = useTurnOn();
  const isOn = device?.channelId != null;
  const canTurnOn = device?.possibility === 'possible';
  return (
    <Step
      what={
        isOn ? (
          pushMessages.done
        ) : canTurnOn ? (
          <Button size="xs" loading={turnOn.isPending} onClick={() => turnOn.mutate(false)}>
            {welcomeMessages.notified}
          </Button>
        ) : (
          <StepLink to="/settings/notifications">{welcomeMessages.notifiedHow}</StepLink>
        )
      }
      why={
        canTurnOn && !isOn && willAsk()
          ? `${welcomeMessages.notifiedText} ${pushMessages.asks}`
          : welcomeMessages.notifiedText
      }
    >
      <FormError error={turnOn.error} />
    </Step>
  );
}

function Step({ what, why, children }: { what: ReactNode; why: string; children?: ReactNode }) {
  return (
    <List.Item>
      {what}
      <Text size="sm" c="dimmed">
        {why}
      </Text>
      {children}
    </List.Item>
  );
}

function StepLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Anchor component={Link} to={to}>
      {children}
    </Anchor>
  );
}
