import { Box, Input, Modal, Text } from '@mantine/core';
import { useId, useState } from 'react';
import { useNavigate } from 'react-router';
import { Icon } from '../components/icon.js';
import { CreateWorkspaceDialog } from '../features/workspaces/create-workspace.js';
import { sharedMessages } from '../lib/messages.js';
import { mayLeave } from '../lib/unsaved.js';
import classes from './palette.module.css';
import { CREATE_WORKSPACE, useEntries, type Entry } from './palette-entries.js';
import { paletteMessages } from './palette-messages.js';

/** The Cmd K palette: type a few letters, press Enter. */
export default function Palette({ close }: { close: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const [creating, setCreating] = useState(false);
  const navigate = useNavigate();
  // Not deferred: Enter must open what belongs to the text that was typed.
  const entries = useEntries(text);
  const current = Math.min(chosen, entries.length - 1);
  const id = useId();

  function go(entry: Entry | undefined) {
    if (!entry) return;
    if (entry.to === CREATE_WORKSPACE) return setCreating(true);
    if (!mayLeave()) return;
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

  if (creating) return <CreateWorkspaceDialog close={close} />;
  return (
    <Modal
      opened
      onClose={close}
      withCloseButton={false}
      padding={0}
      yOffset="12vh"
      centered={false}
      aria-label={sharedMessages.nav.palette}
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
        aria-label={sharedMessages.nav.palette}
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
