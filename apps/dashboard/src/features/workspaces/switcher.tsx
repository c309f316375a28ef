import { Badge, Box, Button, Group, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { Icon } from '../../components/icon.js';
import { sharedMessages } from '../../lib/messages.js';
import { roleMessages } from '../../lib/role-messages.js';
import { workspaceUrl } from '../../lib/workspace-choice.js';
import { useWorkspace } from '../../lib/workspace.js';
import { CreateWorkspaceDialog } from './create-workspace.js';
import { messages } from './messages.js';
import { useOthers } from './use-others.js';

const text = messages.switcher;

/**
 * The workspace at the top of the rail, and a menu of the person's others. With one workspace there is only its name.
 */
export default function Switcher() {
  const workspace = useWorkspace();
  const others = useOthers();
  const [creating, setCreating] = useState(false);
  if (!workspace) return null;
  const role = roleMessages.roles[workspace.role];
  const names = <Names name={workspace.name} role={role} />;
  if (others.length === 0) {
    return (
      <Box px="sm" mb="md">
        {names}
      </Box>
    );
  }
  const waiting = others.reduce((sum, other) => sum + (other.waiting ?? 0), 0);
  return (
    <>
      <Menu width={280} position="bottom-start" styles={{ itemLabel: { minWidth: 0 } }}>
        <Menu.Target>
          <Button
            variant="default"
            h="auto"
            flex="none"
            mb="sm"
            px="sm"
            py={6}
            bd="1px solid var(--agw-line)"
            justify="start"
            rightSection={
              <Group gap={6} wrap="nowrap">
                <Waiting count={waiting} />
                <Icon name="down" size={14} />
              </Group>
            }
            styles={{ label: { flex: 1 } }}
          >
            <span className="visually-hidden">{text.prefix} </span>
            {names}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
          <Menu.Label>{text.others}</Menu.Label>
          {others.map((other) => (
            <Menu.Item
              key={other.id}
              component="a"
              href={workspaceUrl(other.id)}
              rightSection={<Waiting count={other.waiting} />}
            >
              <Names name={other.name} role={roleMessages.roles[other.role]} />
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item component={Link} to="/settings/members">
            {text.members}
          </Menu.Item>
          <Menu.Item onClick={() => setCreating(true)}>{roleMessages.workspace.create}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {creating && <CreateWorkspaceDialog close={() => setCreating(false)} />}
    </>
  );
}

export function Names({ name, role }: { name: string; role: string }) {
  return (
    <Box miw={0} ta="start" lh={1.3}>
      <Text size="sm" fw={600} truncate title={name} translate="no">
        {name}
      </Text>
      <Text size="xs" c="dimmed">
        {role}
      </Text>
    </Box>
  );
}

export function Waiting({ count = 0 }: { count?: number }) {
  if (count === 0) return null;
  return (
    <Badge size="sm" miw={20}>
      {count > 99 ? '99+' : count}
      <span className="visually-hidden"> {sharedMessages.nav.waiting(count)}</span>
    </Badge>
  );
}
