import type { Channel } from '#contracts';
import { Stack } from '@mantine/core';
import { Card, Section } from '../../components/page.js';
import { useDevice } from '../../components/push/use-device.js';
import { RowsSkeleton } from '../../components/skeletons.js';
import { ChannelCards, type ChannelActions } from './channel-cards.js';
import { deviceMessages } from './device-messages.js';
import { DevicePrompt } from './device-prompt.js';
import { messages } from './messages.js';

interface Props extends ChannelActions {
  all: readonly Channel[];
}

/** Push messages: this browser first, then the person's other devices. */
export function DeviceSection({ all, ...actions }: Props) {
  const device = useDevice();
  const devices = all.filter(({ type }) => type === 'webpush');
  const here = devices.find(({ id }) => id === device?.channelId);
  const others = devices.filter((each) => each !== here);
  return (
    <>
      <Section title={deviceMessages.title}>
        {device === undefined ? (
          <RowsSkeleton rows={1} />
        ) : (
          <Stack>
            {(here === undefined || here.disabledReason !== null) && (
              <Card>
                <DevicePrompt possibility={device.possibility} ended={here !== undefined} />
              </Card>
            )}
            {here && <ChannelCards channels={[here]} all={all} hereId={here.id} {...actions} />}
          </Stack>
        )}
      </Section>
      {device !== undefined && others.length > 0 && (
        <Section title={messages.otherDevices}>
          <Stack>
            <ChannelCards channels={others} all={all} {...actions} />
          </Stack>
        </Section>
      )}
    </>
  );
}
