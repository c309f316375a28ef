import type { Action, ActionContext } from '#contracts';
import { Box, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Section } from '../../components/page.js';
import { StatusChip } from '../../components/status-chip.js';
import { Moment, RelativeTime } from '../../components/time.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { useNow } from '../../lib/clock.js';
import classes from './evidence.module.css';
import { messages } from './messages.js';
import { timeline } from './timeline-messages.js';

function Dim({ children }: { children: ReactNode }) {
  return (
    <Text component="div" size="sm" c="dimmed">
      {children}
    </Text>
  );
}

/** What the service's documentation says about this request. */
function Documentation({ context }: { context: ActionContext | undefined }) {
  if (!context) return null;
  const { operation } = context;
  return (
    <Section title={messages.detail.documentation}>
      {operation === null ? (
        <Dim>{messages.detail.noDocumentation}</Dim>
      ) : (
        <div>
          <div className="mono">
            {operation.method} {operation.path}
          </div>
          {operation.summary && (
            <div>
              <UntrustedText text={operation.summary} inline />
            </div>
          )}
          {operation.description && (
            <Dim>
              <UntrustedText text={operation.description} />
            </Dim>
          )}
          <Dim>{operation.documentTitle}</Dim>
        </div>
      )}
    </Section>
  );
}

/** Earlier decisions about similar requests. */
function Similar({ context }: { context: ActionContext | undefined }) {
  if (!context) return null;
  return (
    <Section title={messages.detail.similar}>
      {context.similar.length === 0 ? (
        <Dim>{messages.detail.noSimilar}</Dim>
      ) : (
        <Stack className="plain-list" renderRoot={(root) => <ul {...root} />}>
          {context.similar.map((similar) => (
            <Group
              key={similar.action_id}
              gap="sm"
              align="flex-start"
              wrap="nowrap"
              renderRoot={(root) => <li {...root} />}
            >
              <Box w={92} flex="none">
                <StatusChip status={similar.status} wide />
              </Box>
              <Box miw={0}>
                <Link to={`/approvals/${similar.action_id}`}>
                  <UntrustedText text={similar.summary} inline />
                </Link>{' '}
                <Text span size="sm" c="dimmed">
                  “<UntrustedText text={similar.intent} inline />”
                </Text>
                <Dim>
                  {similar.resolved_by?.name ?? ''} <RelativeTime at={similar.resolved_at ?? similar.created_at} />
                  {similar.resolution_note && (
                    <>
                      {': '}
                      <UntrustedText text={similar.resolution_note} inline />
                    </>
                  )}
                </Dim>
              </Box>
            </Group>
          ))}
        </Stack>
      )}
    </Section>
  );
}

interface Moment {
  at: string;
  text: string;
  future?: boolean;
}

function moments(action: Action, nowMs: number): Moment[] {
  const name = action.resolved_by?.name ?? messages.timeline.somebody;
  const list: Moment[] = [{ at: action.created_at, text: timeline.asked }];
  if (action.last_polled_at) list.push({ at: action.last_polled_at, text: timeline.polled });
  const { needed, given } = action.approvals;
  // The last one is the decision.
  for (const one of needed > 1 ? given.filter(({ at }) => at !== action.resolved_at) : []) {
    list.push({ at: one.at, text: timeline.gave(one.name) });
  }
  if (action.resolved_at) {
    list.push({
      at: action.resolved_at,
      text:
        action.revised_as !== null
          ? timeline.revised(name)
          : action.status === 'DENIED'
            ? timeline.denied(name)
            : timeline.approved(name),
    });
  }
  if (action.executed_at && action.result)
    list.push({ at: action.executed_at, text: timeline.executed(action.result.status) });
  list.sort((a, b) => a.at.localeCompare(b.at));
  if (action.status === 'PENDING') list.push({ at: action.expires_at, text: timeline.expires, future: true });
  if (action.status === 'APPROVED' && action.approvalExpiresAt) {
    list.push({
      at: action.approvalExpiresAt,
      text: timeline.runBy,
      future: Date.parse(action.approvalExpiresAt) > nowMs,
    });
  }
  if (action.status === 'EXPIRED') {
    list.push({
      at: action.approvalExpiresAt ?? action.expires_at,
      text: action.approvalExpiresAt ? timeline.runExpired : timeline.expired,
    });
  }
  return list;
}

/** The history of the action in order. */
function Timeline({ action }: { action: Action }) {
  const minute = useNow((now) => Math.floor(now / 60_000));
  return (
    <Section title={messages.detail.timeline}>
      <ol className={`plain-list ${classes.timeline}`}>
        {moments(action, minute * 60_000).map((moment) => (
          <li key={moment.text} data-future={moment.future || undefined}>
            <Group justify="space-between" gap="0 16px">
              <span>{moment.text}</span>
              <Dim>
                <Moment at={moment.at} />
              </Dim>
            </Group>
          </li>
        ))}
      </ol>
      {action.times_asked > 1 && <Dim>{timeline.askedAgain(action.times_asked)}</Dim>}
    </Section>
  );
}

/** What else is known about an action, below its request. */
export default function Evidence({ action, context }: { action: Action; context: ActionContext | undefined }) {
  return (
    <>
      <Documentation context={context} />
      <Similar context={context} />
      <Timeline action={action} />
    </>
  );
}
