import type { AuditRecord } from '#contracts';
import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Chip } from '../../components/chip.js';
import { RiskBadge } from '../../components/risk-badge.js';
import { StatusCode } from '../../components/status-chip.js';
import { Moment } from '../../components/time.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { bytes } from '../../lib/format.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { useMay } from '../../lib/workspace.js';
import { downloadCase } from './api.js';
import { messages } from './messages.js';
import { ObservedRules } from './observed-rules.js';
import { agentTerm, intentTerm, RecordView, serviceTerm } from './record-view.js';
import { decisionTone, outcomeTone } from './words.js';

const text = messages.drawer;

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

/** Downloads the request as a case for `agent-gateway test`. */
function ExportCase({ record }: { record: AuditRecord }) {
  const download = useMutation({
    mutationFn: () => downloadCase(record.id),
    onSuccess: () => showDone(messages.export.done),
    onError: showFailure,
  });
  return (
    <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
      {text.exportCase}
    </Button>
  );
}

/** The record of a request or an execution. */
export function RequestRecord({ record }: { record: AuditRecord }) {
  const { agent, service } = record;
  const mayTry = useMay('admin');
  return (
    <RecordView
      record={record}
      terms={[
        [text.decided, record.decision && <Decision record={record} />],
        [text.note, record.decision?.note && <UntrustedText text={record.decision.note} prose />],
        [
          text.outcome,
          <span>
            <Chip tone={outcomeTone(record)}>{messages.outcomes[record.outcome]}</Chip>{' '}
            <Text span c="dimmed" size="sm">
              {messages.outcomeHints[record.outcome]}
            </Text>
          </span>,
        ],
        agentTerm(record),
        serviceTerm(record),
        intentTerm(record),
        [
          text.risk,
          record.riskScore !== null && (
            <span>
              <RiskBadge score={record.riskScore} />{' '}
              {record.riskExplanation && <UntrustedText text={record.riskExplanation} inline prose />}
            </span>
          ),
        ],
        [text.observed, record.observed && record.observed.length > 0 && <ObservedRules record={record} />],
        [text.reason, record.reason && <UntrustedText text={record.reason} prose />],
        [text.answered, record.status === null ? messages.underWay : <StatusCode status={record.status} />],
        [text.upstream, record.upstreamStatus === null ? text.notSent : <StatusCode status={record.upstreamStatus} />],
        [text.took, record.durationMs !== null && text.elapsed(record.durationMs)],
        [text.size, record.responseBytes !== null && bytes(record.responseBytes)],
      ]}
    >
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
      {agent && service && record.method && <ExportCase record={record} />}
    </RecordView>
  );
}
