import { Button, Group } from '@mantine/core';
import type { Ref } from 'react';
import { Icon } from '../../components/icon.js';
import { usePreferences } from '../../lib/preferences.js';
import classes from './action-bar.module.css';
import { messages } from './messages.js';

interface Props {
  approveButton: Ref<HTMLButtonElement>;
  approveLabel: string;
  /** The next press approves. */
  armed: boolean;
  /** The decision that is being sent. */
  deciding: 'approve' | 'deny' | null;
  /** The id of the text with the reason why nobody can approve now. */
  blockedBy: string | undefined;
  approve: () => void;
  deny: () => void;
  open: (panel: 'note' | 'allow') => void;
  /** Null: this person may not change the request. */
  revise: (() => void) | null;
}

/** The buttons to deny, approve and do other things with a held request. */
export function DecisionButtons({
  approveButton,
  approveLabel,
  armed,
  deciding,
  blockedBy,
  approve,
  deny,
  open,
  revise,
}: Props) {
  const { thumbSide } = usePreferences();
  const busy = deciding !== null;
  const blocked = blockedBy !== undefined;
  return (
    <Group maw={704} align="stretch" className={classes.buttons} data-thumb={thumbSide}>
      <Button.Group className={classes.split}>
        <Button variant="default" className={classes.tall} loading={deciding === 'deny'} disabled={busy} onClick={deny}>
          {messages.decide.deny}
          <Key name="D" />
        </Button>
        <Button
          variant="default"
          className={classes.tall}
          aria-label={messages.decide.denyWithNote}
          title={messages.decide.denyWithNote}
          disabled={busy}
          onClick={() => open('note')}
        >
          <Icon name="note" size={18} />
        </Button>
      </Button.Group>
      <Button.Group className={classes.split}>
        <Button
          ref={approveButton}
          className={classes.tall}
          color={armed ? 'danger' : undefined}
          translate={armed ? 'no' : undefined}
          data-long={approveLabel !== messages.decide.approve || undefined}
          loading={deciding === 'approve'}
          disabled={busy || blocked}
          aria-describedby={blockedBy}
          onClick={approve}
        >
          {approveLabel}
          <Key name="A" />
        </Button>
        {!armed && revise && (
          <Button
            className={classes.tall}
            aria-label={messages.decide.revise}
            title={messages.decide.revise}
            disabled={busy}
            onClick={revise}
          >
            <Icon name="edit" size={18} />
          </Button>
        )}
        {!armed && (
          <Button
            className={classes.tall}
            aria-label={messages.decide.approveOptions}
            title={messages.decide.approveOptions}
            disabled={busy || blocked}
            onClick={() => open('allow')}
          >
            <Icon name="up" size={18} />
          </Button>
        )}
      </Button.Group>
    </Group>
  );
}

/** The shortcut for a button, shown on devices with a keyboard. */
function Key({ name }: { name: string }) {
  const { shortcuts } = usePreferences();
  return shortcuts ? (
    <kbd className={classes.key} aria-hidden="true">
      {name}
    </kbd>
  ) : null;
}
