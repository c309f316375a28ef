import { Box, Drawer, NavLink, Stack } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'react-router';
import { Icon } from '../components/icon.js';
import AttentionCount from '../features/attention/count.js';
import { CreateWorkspaceDialog } from '../features/workspaces/create-workspace.js';
import { Names, Waiting } from '../features/workspaces/switcher.js';
import { useOthers } from '../features/workspaces/use-others.js';
import { sharedMessages } from '../lib/messages.js';
import { roleMessages } from '../lib/role-messages.js';
import { workspaceUrl } from '../lib/workspace-choice.js';
import { useWorkspace } from '../lib/workspace.js';
import { TAB_BAR_ITEMS, useNavigation } from './navigation.js';

const PauseButton = lazy(() => import('../features/pause/pause-button.js'));

/** Lists the pages that do not fit in the tab bar of a phone. */
export default function MoreSheet({ close, leave }: { close: () => void; leave: () => void }) {
  const pages = useNavigation();
  const workspace = useWorkspace();
  const others = useOthers();
  const [creating, setCreating] = useState(false);
  if (creating) return <CreateWorkspaceDialog close={close} />;
  return (
    <Drawer opened onClose={close} position="bottom" size="auto" title={sharedMessages.nav.more}>
      {workspace && (
        <Box px="sm" pb="md">
          <Names name={workspace.name} role={roleMessages.roles[workspace.role]} />
        </Box>
      )}
      {pages.slice(TAB_BAR_ITEMS).map((item) => (
        <NavLink
          key={item.to}
          component={Link}
          to={item.to}
          label={item.label}
          leftSection={<Icon name={item.icon} />}
          rightSection={item.to === '/attention' && <AttentionCount />}
          mih={48}
          onClick={close}
        />
      ))}
      {others.map(({ id, name, role, waiting }) => (
        <NavLink
          key={id}
          component="a"
          href={workspaceUrl(id)}
          label={roleMessages.workspace.switchTo(name)}
          description={roleMessages.roles[role]}
          leftSection={<Icon name="forward" />}
          rightSection={<Waiting count={waiting} />}
          mih={48}
        />
      ))}
      <NavLink
        component="button"
        label={roleMessages.workspace.create}
        leftSection={<Icon name="plus" />}
        mih={48}
        onClick={() => setCreating(true)}
      />
      <NavLink
        component="button"
        label={sharedMessages.nav.logOut}
        leftSection={<Icon name="logout" />}
        mih={48}
        onClick={leave}
      />
      {/* At the end, because it comes a moment later. */}
      <Stack>
        <Suspense>
          <PauseButton mih={48} px="sm" fz="md" onDone={close} />
        </Suspense>
      </Stack>
    </Drawer>
  );
}
