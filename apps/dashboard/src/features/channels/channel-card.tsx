import type { Channel } from '#contracts';
import { Group, Stack, Text, Title } from '@mantine/core';
import { Chip } from '../../components/chip.js';
import { Callout } from '../../components/notices.js';
import { Card } from '../../components/page.js';
import { useNow } from '../../lib/clock.js';
import { ActiveSwitch } from './active-switch.js';
import { ChannelButtons } from './channel-buttons.js';
import { messages } from './messages.js';
import { SendTest } from './send-test.js';
import { lastDeliveryWords, settingLines } from './words.js';

const text = messages.card;

interface Props {
  channel: Channel;
  /** Whether it is the channel of this browser. */
  isHere: boolean;
  serviceNames: ReadonlyMap<number, string>;
  channelNames: ReadonlyMap<number, string>;
  edit: () => void;
  onSecret: (secret: string, done: string) => void;
}

/** A channel: its events, its last delivery, and its buttons. */
export function ChannelCard({ channel, isHere, serviceNames, channelNames, edit, onSecret }: Props) {
  const { name, type, target, isActive, disabledReason, failingSince } = channel;
  const last = useNow((now) => lastDeliveryWords(channel, now));
  const lines = useNow((now) => settingLines(channel, serviceNames, channelNames, now).join('\n')).split('\n');
  return (
    <Card>
      <Stack gap="sm" component="article" aria-label={name}>
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Group gap="4px 10px" miw={0}>
            <Title order={3} size="h3" className="anywhere" translate="no">
              {name}
            </Title>
            {type !== 'webpush' && name !== messages.types[type] && <Chip>{messages.types[type]}</Chip>}
            {isHere && <Chip tone="good">{text.here}</Chip>}
            {!isActive && <Chip tone="warning">{text.off}</Chip>}
            {isActive && failingSince !== null && <Chip tone="bad">{text.failing}</Chip>}
          </Group>
          <ActiveSwitch channel={channel} />
        </Group>
        <Text size="sm" c="dimmed" className="mono anywhere" translate="no">
          {target}
        </Text>
        <ul className="plain-list">
          {lines.map((line) => (
            <Text key={line} component="li" size="sm" className="anywhere">
              {line}
            </Text>
          ))}
        </ul>
        <Text size="sm" fw={500} c={failingSince === null ? undefined : 'var(--agw-critical)'} className="anywhere">
          {last}
        </Text>
        {disabledReason !== null && !isHere && (
          <Callout tone="warning">
            {type === 'webpush' ? text.deviceEnded(disabledReason) : text.disabledBy(disabledReason)}
          </Callout>
        )}
        <SendTest channel={channel}>
          <ChannelButtons channel={channel} edit={edit} onSecret={onSecret} />
        </SendTest>
      </Stack>
    </Card>
  );
}
