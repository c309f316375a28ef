import type { ActionPage } from '#contracts';
import { Box, Input, Modal, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId, useState } from 'react';
import { useNavigate } from 'react-router';
import { Icon, type IconName } from '../components/icon.js';
import { get } from '../lib/http.js';
import { messages } from '../lib/messages.js';
import { agentsQuery, servicesQuery, workspacesQuery } from '../lib/queries.js';
import { workspaceId, workspaceUrl } from '../lib/workspace-choice.js';
import { spelledOut } from '../lib/text-safety.js';
import { useMay, useReads } from '../lib/workspace.js';
import { useNavigation } from './navigation.js';
import classes from './palette.module.css';
import { paletteMessages } from './palette-messages.js';

interface Entry {
  to: string;
  /** The page loads again, because it is another workspace. */
  reload?: boolean;
  label: string;
  group: string;
  icon: IconName;
}

const CREATE: Entry[] = [
  { to: '/services/new', label: paletteMessages.newService, icon: 'plus', group: paletteMessages.create },
  { to: '/agents/new', label: paletteMessages.newAgent, icon: 'plus', group: paletteMessages.create },
];
const NOTIFICATIONS: Entry = {
  to: '/settings/notifications',
  label: paletteMessages.notifications,
  icon: 'note',
  group: paletteMessages.go,
};
const PER_GROUP = 6;

function useEntries(text: string): Entry[] {
  const wanted = text.trim().toLowerCase();
  const pages = useNavigation();
  const mayCreate = useMay('admin');
  const decides = useMay('approver');
  const reader = useReads();
  const { data: agents = [] } = useQuery({ ...agentsQuery, enabled: reader });
  const { data: services = [] } = useQuery(servicesQuery);
  const { data: actions } = useQuery({
    queryKey: ['approvals', 'find', wanted],
    queryFn: ({ signal }) => get<ActionPage>('/approvals', { q: wanted || undefined, limit: PER_GROUP }, signal),
    placeholderData: (before) => before,
  });
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const matches = (label: string) => label.toLowerCase().includes(wanted);
  return [
    ...pages
      .map(({ to, label, icon }): Entry => ({ to, label, icon, group: paletteMessages.go }))
      .concat(decides ? NOTIFICATIONS : [], mayCreate ? CREATE : [])
      .filter(({ label }) => matches(label)),
    ...workspaces
      .filter(({ id, name }) => id !== workspaceId() && matches(name))
      .slice(0, PER_GROUP)
      .map(({ id, name }) => ({
        to: workspaceUrl(id),
        reload: true,
        label: name,
        group: paletteMessages.workspaces,
        icon: 'forward' as const,
      })),
    ...(actions?.items ?? []).map((action) => ({
      to: `/approvals/${action.action_id}`,
      label: `${spelledOut(action.summary)} · ${action.service.name}`,
      group: paletteMessages.waiting,
      icon: 'approvals' as const,
    })),
    ...agents
      .filter(({ name }) => matches(name))
      .slice(0, PER_GROUP)
      .map(({ id, name }) => ({
        to: `/agents/${id}`,
        label: name,
        group: paletteMessages.agents,
        icon: 'agents' as const,
      })),
    ...services
      .filter(({ name }) => matches(name))
      .slice(0, PER_GROUP)
      .map(({ id, name }) => ({
        to: reader ? `/services/${id}` : `/services?q=${encodeURIComponent(name)}`,
        label: name,
        group: paletteMessages.services,
        icon: 'services' as const,
      })),
  ];
}

/** The Cmd K palette: type a few letters, press Enter. */
export default function Palette({ close }: { close: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const navigate = useNavigate();
  const entries = useEntries(useDeferredValue(text));
  const current = Math.min(chosen, entries.length - 1);
  const id = useId();

  function go(entry: Entry | undefined) {
    if (!entry) return;
    close();
    if (entry.reload) location.assign(entry.to);
    else void navigate(entry.to);
  }

  function onKeyDown(event: React.KeyboardEvent) {
    if (event.key === 'ArrowDown') setChosen(Math.min(current + 1, entries.length - 1));
    else if (event.key === 'ArrowUp') setChosen(Math.max(current - 1, 0));
    else if (event.key === 'Enter') go(entries[current]);
    else return;
    event.preventDefault();
  }

  return (
    <Modal
      opened
      onClose={close}
      withCloseButton={false}
      padding={0}
      yOffset="12vh"
      centered={false}
      aria-label={messages.nav.palette}
    >
      <Input
        data-autofocus
        variant="unstyled"
        size="lg"
        styles={{ input: { outline: 'none', fontSize: 'var(--mantine-font-size-md)' } }}
        leftSection={<Icon name="search" size={18} />}
        placeholder={paletteMessages.placeholder}
        aria-label={paletteMessages.placeholder}
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={entries[current] ? `${id}-${current}` : undefined}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <Box
        id={id}
        role="listbox"
        aria-label={messages.nav.palette}
        mah="52vh"
        p={6}
        style={{ borderBlockStart: '1px solid var(--agw-line)', overflowY: 'auto' }}
      >
        {entries.map((entry, index) => (
          <div key={entry.to} role="presentation">
            {entry.group !== entries[index - 1]?.group && (
              <Text role="presentation" component="div" size="xs" c="dimmed" px={10} pt="sm">
                {entry.group}
              </Text>
            )}
            <div
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === current}
              className={classes.entry}
              ref={(element) => {
                if (index === current) element?.scrollIntoView({ block: 'nearest' });
              }}
              onPointerMove={() => setChosen(index)}
              onClick={() => go(entry)}
            >
              <Icon name={entry.icon} size={18} />
              <Text span truncate>
                {entry.label}
              </Text>
            </div>
          </div>
        ))}
      </Box>
      {entries.length === 0 && (
        <Text size="xs" c="dimmed" px={10} py="sm">
          {paletteMessages.empty}
        </Text>
      )}
    </Modal>
  );
}
