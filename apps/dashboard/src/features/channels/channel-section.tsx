import type { Channel } from '#contracts';
import type { ChannelType } from '#contracts/channel-states';
import { Button, Group, Stack, Text } from '@mantine/core';
import { Icon } from '../../components/icon.js';
import { EmptyState } from '../../components/notices.js';
import { Card, Section } from '../../components/page.js';
import { ChannelCards, type ChannelActions } from './channel-cards.js';
import { messages } from './messages.js';

interface Props extends ChannelActions {
  text: { title: string; lead?: string; none: string; noneText: string };
  /** The types that the person can add here. */
  addable: readonly ChannelType[];
  channels: readonly Channel[];
  all: readonly Channel[];
  add: (type: ChannelType) => void;
}

/** The channels of the person, or of the workspace. */
export function ChannelSection({ text, addable, channels, all, add, ...actions }: Props) {
  return (
    <Section
      title={text.title}
      actions={
        <Group gap="sm">
          {addable.map((type) => (
            <Button
              key={type}
              size="xs"
              variant="default"
              leftSection={<Icon name="plus" size={16} />}
              onClick={() => add(type)}
            >
              {messages.add(type)}
            </Button>
          ))}
        </Group>
      }
    >
      {text.lead && (
        <Text c="dimmed" mb="md">
          {text.lead}
        </Text>
      )}
      {channels.length === 0 ? (
        <Card>
          <EmptyState icon="note" title={text.none} text={text.noneText} />
        </Card>
      ) : (
        <Stack>
          <ChannelCards channels={channels} all={all} {...actions} />
        </Stack>
      )}
    </Section>
  );
}
