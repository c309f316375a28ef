import type { Channel } from '#contracts';
import type { ChannelType } from '#contracts/states';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Icon } from '../../components/icon.js';
import { EmptyState } from '../../components/notices.js';
import { Card, Section } from '../../components/page.js';
import { servicesQuery } from '../../lib/queries.js';
import { ChannelCard } from './channel-card.js';
import { messages } from './messages.js';

interface Props {
  text: { title: string; lead?: string; none: string; noneText: string };
  /** The types that the person can add here. */
  addable: readonly ChannelType[];
  channels: readonly Channel[];
  /** Those of the other sections too, for their names. */
  all: readonly Channel[];
  add: (type: ChannelType) => void;
  edit: (channel: Channel) => void;
  onSecret: (channel: Channel, secret: string, done: string) => void;
}

/** The channels of the person, or of the workspace. */
export function ChannelSection({ text, addable, channels, all, add, edit, onSecret }: Props) {
  const { data: services = [] } = useQuery(servicesQuery);
  const serviceNames = new Map(services.map(({ id, name }) => [id, name]));
  const channelNames = new Map(all.map(({ id, name }) => [id, name]));
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
          {channels.map((channel) => (
            <ChannelCard
              key={channel.id}
              channel={channel}
              serviceNames={serviceNames}
              channelNames={channelNames}
              edit={() => edit(channel)}
              onSecret={(secret, done) => onSecret(channel, secret, done)}
            />
          ))}
        </Stack>
      )}
    </Section>
  );
}
