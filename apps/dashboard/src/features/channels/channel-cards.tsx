import type { Channel } from '#contracts';
import { useQuery } from '@tanstack/react-query';
import { servicesQuery } from '../../lib/queries.js';
import { ChannelCard } from './channel-card.js';

export interface ChannelActions {
  edit: (channel: Channel) => void;
  onSecret: (channel: Channel, secret: string, done: string) => void;
}

interface Props extends ChannelActions {
  channels: readonly Channel[];
  /** All channels, those of other sections too, to find their names. */
  all: readonly Channel[];
  /** The channel of this browser. */
  hereId?: number;
}

/** Lists channels, with the names of the services and channels in their settings. */
export function ChannelCards({ channels, all, hereId, edit, onSecret }: Props) {
  const { data: services = [] } = useQuery(servicesQuery);
  const serviceNames = new Map(services.map(({ id, name }) => [id, name]));
  const channelNames = new Map(all.map(({ id, name }) => [id, name]));
  return channels.map((channel) => (
    <ChannelCard
      key={channel.id}
      channel={channel}
      isHere={channel.id === hereId}
      serviceNames={serviceNames}
      channelNames={channelNames}
      edit={() => edit(channel)}
      onSecret={(secret, done) => onSecret(channel, secret, done)}
    />
  ));
}
