import type { Action, RequestAmount } from '#contracts';
import { Anchor, Button, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useDeferredValue, useMemo, useState } from 'react';
import foot from '../../../components/dialog-foot.module.css';
import { FormError } from '../../../components/form-foot.js';
import { Callout } from '../../../components/notices.js';
import { requestTexts } from '../../../components/request/request-texts.js';
import { SubmitButton } from '../../../components/submit-button.js';
import { UntrustedText } from '../../../components/untrusted-text.js';
import { firstField } from '../../../lib/first-field.js';
import { useReturnFocus } from '../../../lib/return-focus.js';
import { countSuspicions, spelledOut } from '../../../lib/text-safety.js';
import { useUnsaved } from '../../../lib/unsaved.js';
import { compareRequests, isSame } from '../difference/difference.js';
import { DifferenceView } from '../difference/difference-view.js';
import { raceText } from '../use-decide.js';
import { useTwoStep } from '../use-two-step.js';
import {
  headerFault,
  keep,
  keptDraft,
  revised,
  toReviseRequest,
  toRevisionDraft,
  type RevisionDraft,
} from './draft.js';
import { messages } from './messages.js';
import { RequestFields } from './request-fields.js';
import classes from './revise.module.css';
import { useRevise } from './use-revise.js';

interface Props {
  /** The latest state of the action. */
  action: Action;
  /** Of the agent's proposal. */
  amounts: readonly RequestAmount[];
  close: () => void;
  onDone: (revision: Action) => void;
}

/**
 * Changes a held request and approves the changed one. The differences from the agent's proposal appear beside the
 * fields.
 */
export default function ReviseDialog({ action, amounts, close, onDone }: Props) {
  useReturnFocus();
  const wide = useMediaQuery('(min-width: 64em)', undefined, { getInitialValueInEffect: false });
  const [typed, setTyped] = useState(() => keptDraft(action));
  const send = useRevise(action, onDone);
  const change = (next: RevisionDraft) => {
    setTyped(next);
    keep(action, next);
  };
  // Comparing large bodies must not delay the keys.
  const shown = useDeferredValue(typed);
  const request = useMemo(() => revised(action, shown), [action, shown]);
  const difference = useMemo(() => compareRequests(action, request), [action, request]);
  const misleading = Object.values(countSuspicions(requestTexts(request))).some((count) => count > 0);
  useUnsaved(!isSame(difference), null);
  const why = whyNot(action, typed, isSame(difference));
  // Only the gateway can tell what the changed request does, so each one asks for the second press.
  const approve = useTwoStep(
    true,
    targetWords(typed),
    () => send.mutate(toReviseRequest(action, typed)),
    JSON.stringify(typed),
  );
  return (
    <Modal
      opened
      // While the request is in progress, Escape belongs to the dialog that asks for a confirmation.
      onClose={() => !send.isPending && close()}
      title={messages.title}
      size={1040}
      fullScreen={!wide}
      closeOnClickOutside={false}
    >
      <form
        ref={firstField}
        onSubmit={(event) => {
          event.preventDefault();
          if (why === null && !send.isPending) approve.press();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey) && !event.repeat)
            event.currentTarget.requestSubmit();
        }}
      >
        <Stack gap="lg">
          <Text size="sm">
            {messages.proposed(action.agent.name)} <UntrustedText text={`“${action.intent}”`} inline prose />
          </Text>
          <div className={classes.columns}>
            <Stack gap="lg">
              <RequestFields action={action} amounts={amounts} typed={typed} onChange={change} />
            </Stack>
            <Stack gap="md" renderRoot={(root) => <section {...root} aria-label={messages.changes} />}>
              <Group justify="space-between">
                <Title order={3}>{messages.changes}</Title>
                {!isSame(difference) && (
                  <Anchor
                    component="button"
                    type="button"
                    size="sm"
                    py="xs"
                    onClick={() => change(toRevisionDraft(action))}
                  >
                    {messages.reset}
                  </Anchor>
                )}
              </Group>
              {isSame(difference) ? (
                <Text size="sm" c="dimmed">
                  {messages.nothing}
                </Text>
              ) : (
                <DifferenceView difference={difference} />
              )}
              {misleading && <Callout tone="danger">{messages.hidden}</Callout>}
            </Stack>
          </div>
        </Stack>
        <Stack gap="sm" mt="lg" className={foot.foot}>
          {action.status !== 'PENDING' && <Callout tone="warning">{`${raceText(action)} ${messages.kept}`}</Callout>}
          <FormError error={send.error} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" disabled={send.isPending} onClick={close}>
              {messages.close}
            </Button>
            <SubmitButton
              atEnd
              why={why}
              loading={send.isPending}
              className={classes.confirm}
              color={approve.armed ? 'danger' : undefined}
            >
              {approve.armed ? messages.confirm(targetWords(typed)) : messages.submit}
            </SubmitButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** The method and the path as they are typed, with the ends of a long path. */
function targetWords({ method, targetUrl }: RevisionDraft): string {
  const path = spelledOut(targetUrl.replace(/^[^/]*\/\/[^/?#]*/, ''));
  const isLong = path.length > TARGET_SHOWN_MAX;
  return `${method} ${isLong ? `${path.slice(0, TARGET_SHOWN_MAX / 3)}…${path.slice((-2 * TARGET_SHOWN_MAX) / 3)}` : path}`;
}

const TARGET_SHOWN_MAX = 60;

/** Why the form can't be sent. null: it can be sent. */
function whyNot(action: Action, typed: RevisionDraft, same: boolean): string | null {
  if (action.status !== 'PENDING') return messages.why.decided;
  const fault = headerFault(typed);
  if (fault) return fault.kind === 'unnamed' ? messages.why.unnamed : messages.why.twice(fault.name);
  return same ? messages.why.same : null;
}
