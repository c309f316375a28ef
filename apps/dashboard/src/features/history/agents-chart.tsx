import type { AgentOutcomes } from '#contracts';
import { Anchor, Box, Group, Stack, Text } from '@mantine/core';
import { number } from '../../lib/format.js';
import { ChartFrame, Legend } from './chart-frame.js';
import { COLORS } from './chart-colors.js';
import { messages } from './messages.js';

const text = messages.charts;
const STACK = ['forwarded', 'held', 'refused'] as const;

/** The agents with the most requests. A name links to the requests of that agent. */
export function AgentsChart({ agents, onAgent }: { agents: readonly AgentOutcomes[]; onAgent: (id: number) => void }) {
  const rows = agents.map((each) => ({ ...each, all: STACK.reduce((sum, key) => sum + each[key], 0) }));
  const top = Math.max(1, ...rows.map(({ all }) => all));
  const name = ({ id, name }: AgentOutcomes['agent']) =>
    id === null ? (
      <span translate="no">{name}</span>
    ) : (
      <Anchor
        component="button"
        type="button"
        inherit
        translate="no"
        aria-label={text.onlyAgent(name)}
        onClick={() => onAgent(id)}
      >
        {name}
      </Anchor>
    );
  return (
    <ChartFrame
      title={text.agents}
      empty={rows.length === 0}
      legend={<Legend items={STACK.map((tone) => ({ tone, label: messages.outcomes[tone] }))} />}
      chart={
        <Stack gap={7} m={0} p={0} fz="sm" style={{ listStyle: 'none' }} renderRoot={(root) => <ul {...root} />}>
          {rows.map((row) => (
            <Group
              key={`${row.agent.id}-${row.agent.name}`}
              gap={10}
              wrap="nowrap"
              renderRoot={(root) => <li {...root} />}
            >
              <Text span inherit truncate w="30%" miw={80} maw={140}>
                {name(row.agent)}
              </Text>
              <Group
                flex={1}
                gap={0}
                wrap="nowrap"
                title={STACK.map((key) => `${messages.outcomes[key]} ${row[key]}`).join(', ')}
              >
                {STACK.map((key) => (
                  <Box key={key} h={14} w={`${(row[key] / top) * 100}%`} bg={COLORS[key]} />
                ))}
              </Group>
              <Text span inherit w={52} ta="end">
                {number(row.all)}
              </Text>
            </Group>
          ))}
        </Stack>
      }
      table={{
        columns: [text.agent, ...STACK.map((key) => messages.outcomes[key])],
        rows: rows.map((row) => ({
          key: `${row.agent.id}-${row.agent.name}`,
          cells: [name(row.agent), ...STACK.map((key) => number(row[key]))],
        })),
      }}
    />
  );
}
