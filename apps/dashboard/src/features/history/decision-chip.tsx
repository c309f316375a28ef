import type { AuditRecord } from '#contracts';
import { Group, Text } from '@mantine/core';
import { Chip } from '../../components/chip.js';
import { messages } from './messages.js';
import { decisionTone, outcomeTone } from './words.js';

/** The outcome of a request. For a held request, the decision and who made it. */
export function OutcomeChip({ record }: { record: AuditRecord }) {
  const { decision, kind, outcome } = record;
  const held = kind === 'request' && outcome === 'held' ? decision : null;
  return (
    <Group gap={6} wrap="nowrap" miw={0} style={{ gridArea: 'outcome' }} renderRoot={(root) => <span {...root} />}>
      <Chip tone={held ? decisionTone(held.state) : outcomeTone(record)}>
        {held ? messages.states[held.state] : messages.outcomes[outcome]}
      </Chip>
      {decision?.by && (
        <Text span truncate c="dimmed" size="sm">
          {messages.by(decision.by.name)}
        </Text>
      )}
    </Group>
  );
}
