import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { useMay } from '../../lib/workspace.js';
import { FormError } from '../form-foot.js';
import { pushMessages } from './messages.js';
import { willAsk } from './possibility.js';
import { useDevice, useTurnOn } from './use-device.js';

const DISMISSED = 'agw-push-offer';

/**
 * Offers notifications on this device, in the inbox, until the person has answered. It comes after the list, so that
 * nothing moves.
 */
export default function Offer({ component = 'aside' }: { component?: 'aside' | 'li' }) {
  const decides = useMay('approver');
  const [dismissed, setDismissed] = useState(wasDismissed);
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

function wasDismissed(): boolean {
  try {
    return localStorage.getItem(DISMISSED) === '1';
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
