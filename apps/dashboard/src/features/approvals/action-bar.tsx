import type { Action, ActionContext } from '#contracts';
import { Button, Input } from '@mantine/core';
import { lazy, Suspense, useId, useRef, useState } from 'react';
import { NOTE_MAX } from '#contracts/limits';
import { Icon } from '../../components/icon.js';
import { RowsSkeleton } from '../../components/skeletons.js';
import { announce } from '../../lib/announce.js';
import { draft, keepDraft } from '../../lib/drafts.js';
import { useFoot } from '../../lib/foot.js';
import { useShortcuts } from '../../lib/keyboard.js';
import { usePreferences } from '../../lib/preferences.js';
import { needsConfirmation } from '../../lib/risk.js';
import { spelledOut } from '../../lib/text-safety.js';
import classes from './action-bar.module.css';
import { messages } from './messages.js';
import { UNREAD_MS, useSteady } from './steady.js';
import { useDecide } from './use-decide.js';
import { useTwoStep } from './use-two-step.js';

/** Loaded on demand, because few decisions need it. */
const AllowPanel = lazy(() => import('./allow-panel.js'));

interface Props {
  action: Action;
  context: ActionContext | undefined;
  onDecided: (actionIds: string[]) => void;
}

/**
 * The buttons that decide one action. Mount it with the action's id as key, so that a press that starts on one action can't end on
 * another.
 */
export function ActionBar({ action, context, onDecided }: Props) {
  const [panel, setPanel] = useState<'note' | 'allow' | null>(null);
  const { thumbSide } = usePreferences();
  const approveButton = useRef<HTMLButtonElement>(null);
  const foot = useFoot();
  const [steady, refused] = useSteady(action.action_id, UNREAD_MS);
  const { mutate, isPending, variables } = useDecide(action, onDecided);
  const summary = spelledOut(action.summary);
  const draftKey = `deny:${action.action_id}`;

  const approve = useTwoStep(needsConfirmation(action), summary, () => mutate({ decision: 'approve' }));
  const { blocked } = action;
  const blockedId = useId();
  const pressApprove = () => (blocked === null ? steady(approve.press) : announce(messages.decide.blocked(blocked)));
  const deny = (note?: string) =>
    // Keep the note until the gateway has it, because the session may have ended.
    steady(() => mutate({ decision: 'deny', note }, { onSuccess: () => keepDraft(draftKey, '') }));
  const open = (which: 'note' | 'allow') => setPanel(panel === which ? null : which);
  const close = () => {
    setPanel(null);
    approveButton.current?.focus();
  };

  useShortcuts(
    messages.decide.region,
    [
      { keys: 'a', label: messages.keys.approve, run: pressApprove },
      { keys: 'd', label: messages.keys.deny, run: () => setPanel('note') },
      {
        keys: 'Shift+A',
        label: messages.keys.allow,
        run: () => (blocked === null ? setPanel('allow') : pressApprove()),
      },
    ],
    !isPending,
  );

  return (
    <div ref={foot} className={classes.bar} role="region" aria-label={messages.decide.region}>
      {blocked !== null && (
        <p id={blockedId} className={classes.blocked}>
          {messages.decide.blocked(blocked)}
        </p>
      )}
      {refused && <p className={classes.refused}>{messages.decide.justChanged}</p>}
      {panel === 'note' && <NotePanel draftKey={draftKey} busy={isPending} send={deny} close={close} />}
      {panel === 'allow' && (
        <Suspense fallback={<RowsSkeleton rows={2} height={36} />}>
          <AllowPanel
            action={action}
            context={context}
            busy={isPending}
            submit={(allow) => steady(() => mutate({ decision: 'approve', allow }))}
            close={close}
          />
        </Suspense>
      )}
      {panel === null && (
        <div className={classes.buttons} data-thumb={thumbSide}>
          <div className={classes.split}>
            <Button
              variant="default"
              className={classes.main}
              loading={isPending && variables.decision === 'deny'}
              disabled={isPending}
              onClick={() => deny()}
            >
              {messages.decide.deny}
              <Key name="D" />
            </Button>
            <Button
              variant="default"
              className={classes.side}
              aria-label={messages.decide.denyWithNote}
              title={messages.decide.denyWithNote}
              disabled={isPending}
              onClick={() => open('note')}
            >
              <Icon name="note" size={18} />
            </Button>
          </div>
          <div className={classes.split}>
            <Button
              ref={approveButton}
              className={approve.armed ? `${classes.main} danger` : classes.main}
              data-armed={approve.armed || undefined}
              loading={isPending && variables.decision === 'approve'}
              disabled={isPending || blocked !== null}
              aria-describedby={blocked === null ? undefined : blockedId}
              onClick={pressApprove}
            >
              {approve.armed ? messages.decide.confirm(summary) : messages.decide.approve}
              <Key name="A" />
            </Button>
            {!approve.armed && (
              <Button
                className={classes.side}
                aria-label={messages.decide.approveOptions}
                title={messages.decide.approveOptions}
                disabled={isPending || blocked !== null}
                onClick={() => open('allow')}
              >
                <Icon name="up" size={18} />
              </Button>
            )}
          </div>
        </div>
      )}
    </div>
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

interface NoteProps {
  draftKey: string;
  busy: boolean;
  send: (note: string) => void;
  close: () => void;
}

const sendKeys = (): string => (navigator.platform.startsWith('Mac') ? '⌘ Enter' : 'Ctrl Enter');

/** Denies with a note to the agent. */
function NotePanel({ draftKey, busy, send, close }: NoteProps) {
  const id = useId();
  const [note, setNote] = useState(() => draft(draftKey));
  return (
    <form
      className={classes.panel}
      onSubmit={(event) => {
        event.preventDefault();
        send(note.trim());
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey) && !event.repeat) send(note.trim());
        else if (event.key === 'Escape') close();
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <Input.Wrapper id={id} label={messages.decide.note} description={messages.decide.noteHint(sendKeys())}>
        <Input
          component="textarea"
          id={id}
          rows={3}
          multiline
          maxLength={NOTE_MAX}
          autoFocus
          value={note}
          onChange={(event) => {
            setNote(event.currentTarget.value);
            keepDraft(draftKey, event.currentTarget.value);
          }}
        />
      </Input.Wrapper>
      <div className={classes.panelButtons}>
        <Button variant="default" onClick={close} className={classes.tall}>
          {messages.decide.cancel}
        </Button>
        <Button type="submit" className={`${classes.tall} danger`} loading={busy}>
          {messages.decide.sendDeny}
        </Button>
      </div>
    </form>
  );
}
