import type { Action, ActionContext } from '#contracts';
import { Text } from '@mantine/core';
import { useMergedRef } from '@mantine/hooks';
import { lazy, Suspense, useId, useRef, useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { RowsSkeleton } from '../../components/skeletons.js';
import { announce } from '../../lib/announce.js';
import { draft, keepDraft } from '../../lib/drafts.js';
import { useFoot } from '../../lib/foot.js';
import { useShortcuts } from '../../lib/keyboard.js';
import { needsConfirmation } from '../../lib/risk.js';
import type { SeenParts } from '../../lib/seen-parts.js';
import { spelledOut } from '../../lib/text-safety.js';
import classes from './action-bar.module.css';
import { DecisionButtons } from './decision-buttons.js';
import { messages } from './messages.js';
import { NotePanel } from './note-panel.js';
import { ordinal } from './ordinal.js';
import { DECISION_ID, SkipToDecision } from './skip-to-decision.js';
import { UNREAD_MS, useSteady } from './steady.js';
import { useDecide } from './use-decide.js';
import { useTwoStep } from './use-two-step.js';
import { useUnseen } from './use-seen.js';

/** Loaded on demand, because few decisions need them. */
const AllowPanel = lazy(() => import('./allow-panel.js'));

interface Props {
  action: Action;
  context: ActionContext | undefined;
  onDecided: (actionIds: string[]) => void;
  /** Opens the editor of the request. */
  revise: () => void;
  /** What of the request was on the screen. */
  seen: SeenParts;
  bar: (element: HTMLElement | null) => void;
}

/**
 * The buttons that decide one action. Mount it with the action's id as key, so that a press that starts on one action
 * can't end on another.
 */
export function ActionBar({ action, context, onDecided, revise, seen, bar }: Props) {
  const draftKey = `deny:${action.action_id}`;
  // "Deny" on a notification links to the field for the note. A note that was begun is shown again.
  const [panel, setPanel] = useState<'note' | 'begun' | 'allow' | null>(() =>
    location.hash === '#deny' ? 'note' : draft(draftKey) ? 'begun' : null,
  );
  const approveButton = useRef<HTMLButtonElement>(null);
  const foot = useFoot();
  // After "Skip to content", at the start of the page.
  const skip = document.getElementById('skip');
  const [steady, refused] = useSteady(action.action_id, UNREAD_MS);
  const { mutate, isPending, variables } = useDecide(action, seen, onDecided);
  const unseen = useUnseen(seen, context);
  const headline = spelledOut(action.headline);

  const approve = useTwoStep(needsConfirmation(action), headline, () => mutate({ decision: 'approve' }));
  const { needed, given, you } = action.approvals;
  const why =
    action.blocked !== null
      ? messages.decide.blocked(action.blocked)
      : you === 'approved'
        ? messages.decide.youApproved
        : you === 'may_not'
          ? messages.decide.mayNot
          : null;
  // A person who has approved the action may still want to change it.
  const mayRevise = action.blocked === null && you !== 'may_not';
  const approveLabel = needed > 1 ? messages.decide.give(ordinal(given.length + 1)) : messages.decide.approve;
  const blockedId = useId();
  const pressApprove = () => (why === null ? steady(() => unseen.guard(approve.press)) : announce(why));
  const deny = (note?: string) =>
    // Keep the note until the gateway has it, because the session may have ended.
    steady(() => mutate({ decision: 'deny', note }, { onSuccess: () => keepDraft(draftKey, '') }));
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
    <div
      ref={useMergedRef(foot, bar)}
      id={DECISION_ID}
      tabIndex={-1}
      className={classes.bar}
      role="region"
      aria-label={messages.decide.region}
    >
      {skip && createPortal(<SkipToDecision />, skip)}
      {why !== null && <Why id={blockedId}>{why}</Why>}
      {why === null && unseen.words !== null && <Unseen>{unseen.words}</Unseen>}
      {refused && <Why>{messages.decide.justChanged}</Why>}
      {(panel === 'note' || panel === 'begun') && (
        <NotePanel
          key={panel}
          draftKey={draftKey}
          focused={panel === 'note'}
          busy={isPending}
          send={deny}
          close={close}
        />
      )}
      {panel === 'allow' && (
        <Suspense fallback={<RowsSkeleton rows={2} height={36} />}>
          <AllowPanel
            action={action}
            context={context}
            busy={isPending}
            submit={(allow) => steady(() => unseen.guard(() => mutate({ decision: 'approve', allow })))}
            close={close}
          />
        </Suspense>
      )}
      {panel === null && (
        <DecisionButtons
          approveButton={approveButton}
          approveLabel={approve.armed ? messages.decide.confirm(headline) : approveLabel}
          armed={approve.armed}
          deciding={isPending ? variables.decision : null}
          blockedBy={why === null ? undefined : blockedId}
          approve={pressApprove}
          deny={() => deny()}
          open={setPanel}
          revise={mayRevise ? revise : null}
        />
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

/** What was not on the screen yet. */
function Unseen({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" mb={6}>
      {children}
    </Text>
  );
}
