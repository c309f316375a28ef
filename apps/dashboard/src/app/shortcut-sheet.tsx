import { Group, Kbd, Modal, Title } from '@mantine/core';
import { Callout } from '../components/notices.js';
import { activeScopes } from '../lib/keyboard.js';
import { usePreferences } from '../lib/preferences.js';
import { shortcutSheetMessages } from './shortcut-sheet-messages.js';

const shown = (keys: string): string => keys.replace('Mod', navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl');

/** Lists all shortcuts of the current page. */
export default function ShortcutSheet({ close }: { close: () => void }) {
  const { shortcuts } = usePreferences();
  return (
    <Modal opened onClose={close} title={shortcutSheetMessages.title}>
      {!shortcuts && <Callout tone="info">{shortcutSheetMessages.off}</Callout>}
      {activeScopes().map((scope) => (
        <section key={scope.title}>
          <Title order={3} fz="sm" c="dimmed" mt="md" mb="xs">
            {scope.title}
          </Title>
          {scope.shortcuts.map(({ keys, label }) => (
            <Group
              key={keys}
              justify="space-between"
              wrap="nowrap"
              gap="lg"
              py={5}
              style={{ borderBlockEnd: '1px solid var(--agw-line)' }}
            >
              <span>{label}</span>
              <Group gap="xs" flex="none">
                {shown(keys)
                  .split(/[ +]/)
                  .map((key, index) => (
                    <Kbd key={index}>{key}</Kbd>
                  ))}
              </Group>
            </Group>
          ))}
        </section>
      ))}
    </Modal>
  );
}
