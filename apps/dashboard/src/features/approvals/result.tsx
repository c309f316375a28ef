import type { Action } from '#contracts';
import { Group, Stack } from '@mantine/core';
import { BodyView } from '../../components/request/body-view.js';
import { firstHeader } from '../../components/request/request-texts.js';
import { HeadersView } from '../../components/request/request-view.js';
import { Section } from '../../components/page.js';
import { StatusCode } from '../../components/status-chip.js';
import { Moment } from '../../components/time.js';
import { outcomeMessages } from './outcome-messages.js';

/** The complete upstream response after an execution. */
export default function ResultSection({ action }: { action: Action }) {
  const { result } = action;
  if (!result) return null;
  return (
    <Section title={outcomeMessages.response}>
      <Stack gap="sm">
        <Group gap="sm" fz="sm" c="dimmed">
          <StatusCode status={result.status} />
          {action.executed_at && <Moment at={action.executed_at} />}
        </Group>
        <BodyView
          body={result.body}
          bodyEncoding={result.bodyEncoding}
          contentType={firstHeader(result.headers, 'content-type')}
        />
        <HeadersView headers={result.headers} />
      </Stack>
    </Section>
  );
}
