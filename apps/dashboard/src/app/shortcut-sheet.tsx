import { Kbd, Modal } from '@mantine/core';
import { Callout } from '../components/notices.js';
import { activeScopes } from '../lib/keyboard.js';
import { messages } from '../lib/messages.js';
import { usePreferences } from '../lib/preferences.js';
import classes from './shortcut-sheet.module.css';

const shown = (keys: string): string => keys.replace('Mod', navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl');

/** Lists all shortcuts of the current page. */
export default function ShortcutSheet({ close }: { close: () => void }) {
  const { shortcuts } = usePreferences();
  return (
    <Modal opened onClose={close} title={messages.shortcuts.title}>
      {!shortcuts && <Callout tone="info">{messages.shortcuts.off}</Callout>}
      {activeScopes().map((scope) => (
        <section key={scope.title}>
          <h3 className={classes.title}>{scope.title}</h3>
          <dl className={classes.list}>
            {scope.shortcuts.map(({ keys, label }) => (
              <div key={keys} className={classes.row}>
                <dt>
                  {shown(keys)
                    .split(/[ +]/)
                    .map((key, index) => (
                      <Kbd key={index}>{key}</Kbd>
                    ))}
                </dt>
                <dd>{label}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Modal>
  );
}
