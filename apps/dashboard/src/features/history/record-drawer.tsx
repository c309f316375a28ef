import type { AuditRecord } from '#contracts';
import { Button, Drawer, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Chip } from '../../components/chip.js';
import { CopyButton } from '../../components/copy-button.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notices.js';
import { TargetView } from '../../components/request/request-view.js';
import { RiskBadge } from '../../components/risk-badge.js';
import { StatusCode } from '../../components/status-chip.js';
import { Terms } from '../../components/terms.js';
import { Moment } from '../../components/time.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { ThingLink } from '../../components/thing-link.js';
import { recordQuery } from '../../lib/audit-records.js';
import { bytes } from '../../lib/format.js';
import { useMay } from '../../lib/workspace.js';
import { changeTerms } from './change-details.js';
import { Headline } from './decision-row.js';
import { messages } from './messages.js';
import { decisionTone, outcomeTone, reasonWords } from './words.js';

const text = messages.drawer;

/** One complete record. Its URL has `?id=`. */
export function RecordDrawer({ id, close }: { id: string | null; close: () => void }) {
  const query = useQuery({ ...recordQuery(id ?? ''), enabled: id !== null });
  const record = query.data;
  const title = record ? titleOf(record) : text.request;
  return (
    <Drawer opened={id !== null} onClose={close} position="right" size="lg" title={<span>{title}</span>}>
      <Loaded query={query}>
        {(found) =>
          found === null ? (
            <EmptyState icon="search" title={text.notFound} />
          ) : found.kind === 'request' || found.kind === 'execution' ? (
            <RequestRecord record={found} />
          ) : (
            <ChangeRecord record={found} />
          )
        }
      </Loaded>
    </Drawer>
  );
}

function titleOf({ kind, actionId }: AuditRecord): string {
  if (kind === 'access') return text.access;
  if (kind !== 'change') return text.request;
  return actionId === null ? text.change : text.decision;
}

/** The decision about a held request. */
function Decision({ record }: { record: AuditRecord }) {
  const { decision } = record;
  if (decision === null) return null;
  return (
    <span>
      <Chip tone={decisionTone(decision.state)}>{messages.states[decision.state]}</Chip>{' '}
      {decision.by && messages.by(decision.by.name)}
      {decision.at !== null && (
        <>
          , <Moment at={decision.at} />
        </>
      )}
    </span>
  );
}

function RequestRecord({ record }: { record: AuditRecord }) {
  const { agent, service } = record;
  const mayTry = useMay('admin');
  return (
    <Stack gap="lg">
      {record.method && record.url && <TargetView method={record.method} targetUrl={record.url} />}
      <Terms
        items={[
          [text.what, record.summary !== null && <Headline record={record} />],
          [text.time, <Moment at={record.at} />],
          [text.decided, record.decision && <Decision record={record} />],
          [text.note, record.decision?.note && <UntrustedText text={record.decision.note} />],
          [
            text.outcome,
            <span>
              <Chip tone={outcomeTone(record)}>{messages.outcomes[record.outcome]}</Chip>{' '}
              <Text span c="dimmed" size="sm">
                {messages.outcomeHints[record.outcome]}
              </Text>
            </span>,
          ],
          [
            text.agent,
            agent && (
              <ThingLink kind="agents" id={agent.id}>
                {agent.id === null ? `${agent.name} (${messages.gone})` : agent.name}
              </ThingLink>
            ),
          ],
          [
            text.service,
            service && (
              <ThingLink kind="services" id={service.id}>
                {service.id === null ? `${service.name} (${messages.gone})` : service.name}
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
          [
            text.risk,
            record.riskScore !== null && (
              <span>
                <RiskBadge score={record.riskScore} />{' '}
                {record.riskExplanation && <UntrustedText text={record.riskExplanation} inline />}
              </span>
            ),
          ],
          [text.reason, record.reason && <UntrustedText text={record.reason} />],
          [text.answered, record.status === null ? messages.underWay : <StatusCode status={record.status} />],
          [
            text.upstream,
            record.upstreamStatus === null ? text.notSent : <StatusCode status={record.upstreamStatus} />,
          ],
          [text.took, record.durationMs !== null && text.elapsed(record.durationMs)],
          [text.size, record.responseBytes !== null && bytes(record.responseBytes)],
          [text.error, record.error && <UntrustedText text={record.error} />],
          [text.requestId, record.requestId && <Id value={record.requestId} />],
          [text.recordId, <Id value={record.id} />],
        ]}
      />
      <Group gap="sm">
        {record.actionId && (
          <Button component={Link} to={`/approvals/${record.actionId}`}>
            {text.toAction}
          </Button>
        )}
        {agent?.id && (
          <Button component={Link} to={`/history?agent=${agent.id}`} variant="default">
            {text.onlyAgent}
          </Button>
        )}
        {mayTry && service?.id && record.method && (
          <Button component={Link} to={`/playground?record=${record.id}`} variant="default">
            {text.playground}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function ChangeRecord({ record }: { record: AuditRecord }) {
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
          [text.requestId, record.requestId && <Id value={record.requestId} />],
          [text.recordId, <Id value={record.id} />],
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

function Id({ value }: { value: string }) {
  return (
    <Group gap="xs">
      <span className="mono">{value}</span>
      <CopyButton text={value} variant="subtle" />
    </Group>
  );
}
