import type { Action } from '#contracts';
import { Group, Stack } from '@mantine/core';
import { BodyView } from '../../components/request/body-view.js';
import { firstHeader } from '../../components/request/request-texts.js';
import RestOfBody from '../../components/request/rest-of-body.js';
import { HeadersView } from '../../components/request/request-view.js';
import { Section } from '../../components/page.js';
import { StatusCode } from '../../components/status-chip.js';
import { Moment } from '../../components/time.js';
import { outcomeMessages } from './outcome-messages.js';
import type { Rest } from './use-whole.js';

/** The upstream's response after an execution. */
export default function ResultSection({ action, rest }: { action: Action; rest: Rest }) {
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
          isCut={result.bodyTruncated}
        />
        {result.bodyTruncated && <RestOfBody bytes={null} {...rest} />}
        <HeadersView headers={result.headers} />
      </Stack>
    </Section>
  );
}
