import type { AuditRecord } from '#contracts';
import { Button, Group, Stack } from '@mantine/core';
import { Link } from 'react-router';
import { TargetView } from '../../components/request/request-view.js';
import { Terms } from '../../components/terms.js';
import { Moment } from '../../components/time.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { ThingLink } from '../../components/thing-link.js';
import { changeTerms } from './change-details.js';
import { Headline } from './decision-row.js';
import { messages } from './messages.js';
import { RecordId } from './record-id.js';
import { reasonWords } from './words.js';

const text = messages.drawer;

/** The record of a change, a decision, or an access such as a login. */
export function ChangeRecord({ record }: { record: AuditRecord }) {
  return (
    <Stack gap="lg">
      {record.method && record.url && <TargetView method={record.method} targetUrl={record.url} />}
      <Terms
        items={[
          [text.what, record.summary !== null && <Headline record={record} />],
          [text.time, <Moment at={record.at} />],
          [text.who, record.actor?.name ?? messages.somebody],
          [messages.columns.what, reasonWords(record.reason)],
          [text.outcome, record.outcome !== 'changed' && messages.outcomes[record.outcome]],
          [
            text.service,
            record.service && (
              <ThingLink kind="services" id={record.service.id}>
                {record.service.name}
              </ThingLink>
            ),
          ],
          [
            text.agent,
            record.agent && (
              <ThingLink kind="agents" id={record.agent.id}>
                {record.agent.name}
              </ThingLink>
            ),
          ],
          [
            text.intent,
            record.intent && (
              <q>
                <UntrustedText text={record.intent} />
              </q>
            ),
          ],
          ...changeTerms(record),
          [text.error, record.error && <UntrustedText text={record.error} />],
          [text.requestId, record.requestId && <RecordId value={record.requestId} />],
          [text.recordId, <RecordId value={record.id} />],
        ]}
      />
      {record.actionId && (
        <Group gap="sm">
          <Button component={Link} to={`/approvals/${record.actionId}`}>
            {text.toAction}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
