import { Button, Stack, Text } from '@mantine/core';
import { FormError } from '../../components/form-foot.js';
import { Callout } from '../../components/notices.js';
import { pushMessages } from '../../components/push/messages.js';
import { isApplePhone, willAsk, type Possibility } from '../../components/push/possibility.js';
import { useTurnOn } from '../../components/push/use-device.js';
import { deviceMessages } from './device-messages.js';

interface Props {
  possibility: Possibility;
  /** The gateway has switched this device off. */
  ended: boolean;
}

/** Turns notifications on in this browser, or shows why that is not possible. */
export function DevicePrompt({ possibility, ended }: Props) {
  const turnOn = useTurnOn();
  return (
    <Stack>
      <Text>{ended ? deviceMessages.ended : deviceMessages.lead}</Text>
      {possibility === 'possible' ? (
        <>
          {willAsk() && (
            <Text c="dimmed" size="sm">
              {pushMessages.asks}
            </Text>
          )}
          <FormError error={turnOn.error} />
          <Button w="fit-content" mih={44} loading={turnOn.isPending} onClick={() => turnOn.mutate(ended)}>
            {ended ? deviceMessages.turnOnAgain : pushMessages.turnOn}
          </Button>
        </>
      ) : (
        <Callout tone={possibility === 'blocked' ? 'warning' : 'info'}>{hindrance(possibility)}</Callout>
      )}
    </Stack>
  );
}

function hindrance(possibility: Exclude<Possibility, 'possible'>): string {
  if (possibility !== 'blocked') return deviceMessages[possibility];
  return isApplePhone(navigator.userAgent, navigator.maxTouchPoints)
    ? deviceMessages.blockedApp
    : deviceMessages.blocked(location.host);
}
