import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Icon } from '../components/icon.js';
import { sharedMessages } from '../lib/messages.js';
import { meQuery } from '../lib/queries.js';
import classes from './shell.module.css';

const PauseButton = lazy(() => import('../features/pause/pause-button.js'));

/** The foot of the rail: the pause of the workspace, and the person. */
export default function RailFoot({ leave }: { leave: () => void }) {
  const { data: me } = useQuery(meQuery);
  return (
    <>
      <Suspense>
        <PauseButton />
      </Suspense>
      <Group justify="space-between" wrap="nowrap" gap="sm" pt="sm" ps="sm" c="dimmed" className={classes.account}>
        <Text size="sm" truncate translate="no" title={me?.email}>
          {me?.name}
        </Text>
        <Button
          variant="subtle"
          size="compact-md"
          px={7}
          flex="none"
          c="dimmed"
          aria-label={sharedMessages.nav.logOut}
          title={sharedMessages.nav.logOut}
          onClick={leave}
        >
          <Icon name="logout" size={18} />
        </Button>
      </Group>
    </>
  );
}
