import type { AuditRecord } from '#contracts';
import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { ThingLink } from '../../components/thing-link.js';
import { TargetView } from '../../components/request/target-view.js';
import { Terms } from '../../components/terms.js';
import { Moment } from '../../components/time.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { Headline } from './decision-row.js';
import { messages } from './messages.js';
import { RecordId } from './record-id.js';
import { useRequestLink } from './use-request-link.js';

const text = messages.drawer;
type Term = [term: string, value: ReactNode];

interface Props {
  record: AuditRecord;
  /** Only for this kind of record. They follow the headline and the time. */
  terms: readonly Term[];
  /** More links below the terms. */
  children?: ReactNode;
}

/** What records of all kinds show. */
export function RecordView({ record, terms, children }: Props) {
  const toRequest = useRequestLink(record);
  return (
    <Stack gap="lg">
      {record.method && record.url && <TargetView method={record.method} targetUrl={record.url} />}
      <Terms
        items={[
          [text.what, record.headline !== null && <Headline record={record} />],
          [text.time, <Moment at={record.at} />],
          ...terms,
          [text.error, record.error && <UntrustedText text={record.error} />],
          [text.requestId, record.requestId && <RecordId value={record.requestId} />],
          [text.recordId, <RecordId value={record.id} />],
        ]}
      />
      <Group gap="sm">
        {toRequest && (
          <Button component={Link} to={toRequest}>
            {text.toAction}
          </Button>
        )}
        {children}
      </Group>
    </Stack>
  );
}

/** An agent or a service with a link to it, unless it is deleted. Only the record of the deletion still has its id. */
function thing(
  kind: 'agents' | 'services',
  party: { id: number | null; name: string },
  reason: string | null,
): ReactNode {
  const id = reason === 'agent.deleted' || reason === 'service.deleted' ? null : party.id;
  return (
    <ThingLink kind={kind} id={id}>
      {id === null ? `${party.name} (${messages.gone})` : party.name}
    </ThingLink>
  );
}

export const agentTerm = ({ agent, reason }: AuditRecord): Term => [
  text.agent,
  agent && thing('agents', agent, reason),
];

export const serviceTerm = ({ service, reason }: AuditRecord): Term => [
  text.service,
  service && thing('services', service, reason),
];

/** The agent's intent, as a quotation. */
export const intentTerm = ({ intent }: AuditRecord): Term => [
  text.intent,
  intent && (
    <q>
      <UntrustedText text={intent} prose />
    </q>
  ),
];
