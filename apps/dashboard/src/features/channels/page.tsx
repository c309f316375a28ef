import type { Channel } from '#contracts';
import { PERSONAL_CHANNEL_TYPES, WORKSPACE_CHANNEL_TYPES, type ChannelType } from '#contracts/channel-states';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notices.js';
import { SettingsFrame } from '../../components/settings-frame.js';
import { PageSkeleton } from '../../components/skeletons.js';
import { channelsQuery } from '../../lib/queries.js';
import { showDone } from '../../lib/toasts.js';
import { useMay, useRole } from '../../lib/workspace.js';
import type { ChannelActions } from './channel-cards.js';
import { ChannelDialog } from './channel-dialog.js';
import { ChannelSection } from './channel-section.js';
import { DeviceSection } from './device-section.js';
import { LinkSlackUser } from './link-slack-user.js';
import { messages } from './messages.js';
import { SecretDialog } from './secret-dialog.js';
import { SlackLinks } from './slack-links.js';

/** The notifications of a person and, for administrators, of the workspace. */
export function Component() {
  const role = useRole();
  if (role === null) return <PageSkeleton />;
  return (
    <SettingsFrame>
      {role === 'auditor' ? (
        <EmptyState icon="key" title={messages.notForAuditors} text={messages.notForAuditorsText} />
      ) : (
        <Channels />
      )}
    </SettingsFrame>
  );
}

/** A link from Slack has its token in the hash, so that no server sees it. */
const tokenIn = (hash: string): string | null => /^#slack=([0-9a-f]{64})$/.exec(hash)?.[1] ?? null;

/** The channel that the person adds or changes. */
type Editing = { type: ChannelType; channel: Channel | null };

function Channels() {
  const query = useQuery(channelsQuery);
  const administers = useMay('admin');
  const token = tokenIn(useLocation().hash);
  const [editing, setEditing] = useState<Editing | null>(null);
  // The secret exists only here, until the person confirms that it is stored.
  const [secret, setSecret] = useState<{ name: string; value: string; done: string } | null>(null);
  const add = (type: ChannelType) => setEditing({ type, channel: null });
  const actions: ChannelActions = {
    edit: (channel: Channel) => setEditing({ type: channel.type, channel }),
    onSecret: (channel: Channel, value: string, done: string) => setSecret({ name: channel.name, value, done }),
  };
  return (
    <>
      {token !== null && <LinkSlackUser key={token} token={token} />}
      <Text c="dimmed">{messages.lead}</Text>
      <Loaded query={query}>
        {(channels) => (
          <>
            <DeviceSection all={channels} {...actions} />
            <ChannelSection
              text={messages.mine}
              addable={PERSONAL_CHANNEL_TYPES.filter((type) => type !== 'webpush')}
              channels={channels.filter(({ scope, type }) => scope === 'me' && type !== 'webpush')}
              all={channels}
              add={add}
              {...actions}
            />
            {administers && (
              <ChannelSection
                text={messages.workspace}
                addable={WORKSPACE_CHANNEL_TYPES}
                channels={channels.filter(({ scope }) => scope === 'workspace')}
                all={channels}
                add={add}
                {...actions}
              />
            )}
            <SlackLinks />
            {editing && (
              <ChannelDialog
                {...editing}
                others={channels.filter(({ id }) => id !== editing.channel?.id)}
                onSecret={actions.onSecret}
                close={() => setEditing(null)}
              />
            )}
          </>
        )}
      </Loaded>
      {secret && (
        <SecretDialog
          name={secret.name}
          secret={secret.value}
          onStored={() => {
            setSecret(null);
            showDone(secret.done);
          }}
        />
      )}
    </>
  );
}
