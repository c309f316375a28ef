import type { Action, ActionContext } from '#contracts';
import { Box, Group, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Section } from '../../components/page.js';
import { StatusChip } from '../../components/status-chip.js';
import { RelativeTime } from '../../components/time.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { Dim } from './dim.js';
import { messages } from './messages.js';
import { Timeline } from './timeline.js';

/** The part of the service's documentation that is about this request. */
function Documentation({ context }: { context: ActionContext | undefined }) {
  if (!context) return null;
  const { operation } = context;
  return (
    <Section title={messages.detail.documentation}>
      {operation === null ? (
        <Dim>{messages.detail.noDocumentation}</Dim>
      ) : (
        <div>
          <div className="mono" translate="no">
            {/* A tool of an MCP server has no path. */}
            {operation.path === '' ? (
              <UntrustedText text={operation.operationId ?? ''} inline />
            ) : (
              `${operation.method} ${operation.path}`
            )}
          </div>
          {operation.summary && (
            <div>
              <UntrustedText text={operation.summary} inline prose />
            </div>
          )}
          {operation.description && (
            <Dim>
              <UntrustedText text={operation.description} prose />
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
                  <UntrustedText text={similar.headline} inline />
                </Link>{' '}
                <Text span size="sm" c="dimmed">
                  “<UntrustedText text={similar.intent} inline prose />”
                </Text>
                <Dim>
                  {similar.resolved_by?.name ?? ''} <RelativeTime at={similar.resolved_at ?? similar.created_at} />
                  {similar.resolution_note && (
                    <>
                      {': '}
                      <UntrustedText text={similar.resolution_note} inline prose />
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
