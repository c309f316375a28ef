import { Anchor, Box, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useId, useState, type ReactNode } from 'react';
import { Card } from '../../components/page.js';
import { COLORS, type Tone } from './chart-colors.js';
import { messages } from './messages.js';

interface Props {
  title: string;
  empty: boolean;
  legend?: ReactNode;
  chart: ReactNode;
  table: Figures;
}

/** The same figures as a table. */
interface Figures {
  columns: readonly string[];
  rows: readonly { key: string; cells: readonly ReactNode[] }[];
}

/** A question, answered by a chart or a table. */
export function ChartFrame({ title, empty, legend, chart, table }: Props) {
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  return (
    <Card>
      <Stack gap={10} mih={{ md: 210 }}>
        <Group justify="space-between" wrap="nowrap">
          <Title order={2} fz={14} id={id}>
            {title}
          </Title>
          {!empty && (
            <Anchor
              component="button"
              type="button"
              size="sm"
              mih={24}
              flex="none"
              aria-pressed={asTable}
              onClick={() => setAsTable(!asTable)}
            >
              {asTable ? messages.charts.chart : messages.charts.table}
              <span className="visually-hidden">: {title}</span>
            </Anchor>
          )}
        </Group>
        {empty ? (
          <Text c="dimmed">{messages.charts.empty}</Text>
        ) : asTable ? (
          <Box
            mah={220}
            style={{ overflow: 'auto', outlineOffset: -2 }}
            tabIndex={0}
            role="region"
            aria-labelledby={id}
          >
            <FigureTable {...table} />
          </Box>
        ) : (
          <>
            {legend}
            {chart}
          </>
        )}
      </Stack>
    </Card>
  );
}

function FigureTable({ columns, rows }: Figures) {
  return (
    <Table borderColor="var(--agw-line)" horizontalSpacing="sm">
      <Table.Thead>
        <Table.Tr c="dimmed">
          {columns.map((column, index) => (
            <Table.Th key={column} scope="col" fw={400} ta={index === 0 ? 'start' : 'end'}>
              {column}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(({ key, cells: [first, ...others] }) => (
          <Table.Tr key={key}>
            <Table.Th scope="row" fw={400}>
              {first}
            </Table.Th>
            {others.map((cell, index) => (
              <Table.Td key={index} ta="end">
                {cell}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** The legend of the colours. */
export function Legend({ items }: { items: readonly { tone: Tone; label: string }[] }) {
  return (
    <Group gap="2px 14px" c="dimmed" fz="xs" aria-hidden="true">
      {items.map(({ tone, label }) => (
        <Group key={tone} gap={6}>
          <Box w={tone === 'threshold' ? 2 : 10} h={tone === 'threshold' ? 12 : 10} bdrs={2} bg={COLORS[tone]} />
          {label}
        </Group>
      ))}
    </Group>
  );
}
