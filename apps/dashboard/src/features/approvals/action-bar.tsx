import type { Action, ActionContext } from '#contracts';
import { Button, Group, Text } from '@mantine/core';
import { lazy, Suspense, useId, useRef, useState, type ReactNode } from 'react';
import { Icon } from '../../components/icon.js';
import { RowsSkeleton } from '../../components/skeletons.js';
import { announce } from '../../lib/announce.js';
import { keepDraft } from '../../lib/drafts.js';
import { useFoot } from '../../lib/foot.js';
import { useShortcuts } from '../../lib/keyboard.js';
import { usePreferences } from '../../lib/preferences.js';
import { needsConfirmation } from '../../lib/risk.js';
import { spelledOut } from '../../lib/text-safety.js';
import classes from './action-bar.module.css';
import { messages } from './messages.js';
import { NotePanel } from './note-panel.js';
import { ordinal } from './ordinal.js';
import { UNREAD_MS, useSteady } from './steady.js';
import { useDecide } from './use-decide.js';
import { useTwoStep } from './use-two-step.js';

/** Loaded on demand, because few decisions need them. */
const AllowPanel = lazy(() => import('./allow-panel.js'));

interface Props {
  action: Action;
  context: ActionContext | undefined;
  onDecided: (actionIds: string[]) => void;
  /** Opens the editor of the request. */
  revise: () => void;
}

/**
 * The buttons that decide one action. Mount it with the action's id as key, so that a press that starts on one action can't end on
 * another.
 */
export function ActionBar({ action, context, onDecided, revise }: Props) {
  // "Deny" on a notification links to the field for the note.
  const [panel, setPanel] = useState<'note' | 'allow' | null>(() => (location.hash === '#deny' ? 'note' : null));
  const { thumbSide } = usePreferences();
  const approveButton = useRef<HTMLButtonElement>(null);
  const foot = useFoot();
  const [steady, refused] = useSteady(action.action_id, UNREAD_MS);
  const { mutate, isPending, variables } = useDecide(action, onDecided);
  const summary = spelledOut(action.summary);
  const draftKey = `deny:${action.action_id}`;

  const approve = useTwoStep(needsConfirmation(action), summary, () => mutate({ decision: 'approve' }));
  const { needed, given, you } = action.approvals;
  const why =
    action.blocked !== null
      ? messages.decide.blocked(action.blocked)
      : you === 'approved'
        ? messages.decide.youApproved
        : you === 'may_not'
          ? messages.decide.mayNot
          : null;
  // Who has approved it may still find something to change.
  const mayRevise = action.blocked === null && you !== 'may_not';
  const approveLabel = needed > 1 ? messages.decide.give(ordinal(given.length + 1)) : messages.decide.approve;
  const blockedId = useId();
  const pressApprove = () => (why === null ? steady(approve.press) : announce(why));
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
        run: () => (why === null ? setPanel('allow') : pressApprove()),
      },
      { keys: 'e', label: messages.decide.revise, run: () => (mayRevise ? revise() : pressApprove()) },
    ],
    !isPending,
  );

  return (
    <div ref={foot} className={classes.bar} role="region" aria-label={messages.decide.region}>
      {why !== null && <Why id={blockedId}>{why}</Why>}
      {refused && <Why>{messages.decide.justChanged}</Why>}
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
        <Group maw={640} align="stretch" className={classes.buttons} data-thumb={thumbSide}>
          <Button.Group className={classes.split}>
            <Button
              variant="default"
              className={classes.tall}
              loading={isPending && variables.decision === 'deny'}
              disabled={isPending}
              onClick={() => deny()}
            >
              {messages.decide.deny}
              <Key name="D" />
            </Button>
            <Button
              variant="default"
              className={classes.tall}
              aria-label={messages.decide.denyWithNote}
              title={messages.decide.denyWithNote}
              disabled={isPending}
              onClick={() => open('note')}
            >
              <Icon name="note" size={18} />
            </Button>
          </Button.Group>
          <Button.Group className={classes.split}>
            <Button
              ref={approveButton}
              className={classes.tall}
              color={approve.armed ? 'danger' : undefined}
              data-armed={approve.armed || undefined}
              loading={isPending && variables.decision === 'approve'}
              disabled={isPending || why !== null}
              aria-describedby={why === null ? undefined : blockedId}
              onClick={pressApprove}
            >
              {approve.armed ? messages.decide.confirm(summary) : approveLabel}
              <Key name="A" />
            </Button>
            {!approve.armed && mayRevise && (
              <Button
                className={classes.tall}
                aria-label={messages.decide.revise}
                title={messages.decide.revise}
                disabled={isPending}
                onClick={revise}
              >
                <Icon name="edit" size={18} />
              </Button>
            )}
            {!approve.armed && (
              <Button
                className={classes.tall}
                aria-label={messages.decide.approveOptions}
                title={messages.decide.approveOptions}
                disabled={isPending || why !== null}
                onClick={() => open('allow')}
              >
                <Icon name="up" size={18} />
              </Button>
            )}
          </Button.Group>
        </Group>
      )}
    </div>
  );
}

/** Why the action can't be decided now. */
function Why({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <Text id={id} size="sm" c="var(--agw-high)" fw={600} mb={6}>
      {children}
    </Text>
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
