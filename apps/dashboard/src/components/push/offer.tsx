import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { useMay } from '../../lib/workspace.js';
import { NEWCOMER } from '../welcome/newcomer-key.js';
import { FormError } from '../form-foot.js';
import { pushMessages } from './messages.js';
import { willAsk } from './possibility.js';
import { useDevice, useTurnOn } from './use-device.js';

const DISMISSED = 'agw-push-offer';

/** Few people are new, so the others do not load it. */
const FirstSteps = lazy(() => import('../welcome/first-steps.js').catch(() => ({ default: () => null })));

interface Props {
  component?: 'aside' | 'li';
}

/**
 * Offers notifications on this device, in the inbox, until the person has answered. A new member gets the first steps
 * instead. Both come after the list, so that nothing moves.
 */
export default function Offer({ component = 'aside' }: Props): ReactNode {
  const [isNew, setIsNew] = useState(() => isStored(NEWCOMER));
  if (!isNew) return <PushOffer component={component} />;
  return (
    <Suspense>
      <FirstSteps component={component} hide={() => setIsNew(false)} />
    </Suspense>
  );
}

function PushOffer({ component }: Required<Props>) {
  const decides = useMay('approver');
  const [dismissed, setDismissed] = useState(() => isStored(DISMISSED));
  const device = useDevice();
  const turnOn = useTurnOn(dismiss);
  function dismiss() {
    remember();
    setDismissed(true);
  }
  const install = device?.possibility === 'install';
  const offers = install || (device?.possibility === 'possible' && device.channelId === null);
  if (!decides || dismissed || !offers) return null;
  return (
    <Paper
      component={component}
      aria-label={pushMessages.offer}
      withBorder
      radius="lg"
      p="lg"
      my="lg"
      mx="auto"
      w="calc(100% - 32px)"
      maw={560}
    >
      <Stack gap="sm">
        <strong>{pushMessages.offer}</strong>
        <Text size="sm" c="dimmed">
          {install ? pushMessages.offerInstall : `${pushMessages.offerText} ${willAsk() ? pushMessages.asks : ''}`}
        </Text>
        <FormError error={turnOn.error} />
        <Group gap="sm">
          {install ? (
            <Button component={Link} to="/settings/notifications">
              {pushMessages.how}
            </Button>
          ) : (
            <Button loading={turnOn.isPending} onClick={() => turnOn.mutate(false)}>
              {pushMessages.turnOn}
            </Button>
          )}
          <Button variant="default" onClick={dismiss}>
            {pushMessages.notNow}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

function isStored(key: string): boolean {
  try {
    return localStorage.getItem(key) === '1';
  } catch {
    return false;
  }
}

function remember(): void {
  try {
    localStorage.setItem(DISMISSED, '1');
  } catch {
    // Without storage, the offer comes back with the next page load.
  }
}
