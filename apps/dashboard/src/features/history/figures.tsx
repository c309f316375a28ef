import type { AuditStats } from '#contracts';
import { SimpleGrid, Skeleton, Text } from '@mantine/core';
import { Card } from '../../components/page.js';
import { Delayed } from '../../components/skeletons.js';
import { duration, number, percent } from '../../lib/format.js';
import { messages } from './messages.js';

const text = messages.figures;
type Figure = [label: string, value: string, note?: string];
interface Props {
  stats: AuditStats | undefined;
}

/** Four figures about requests. */
export function RequestFigures({ stats }: Props) {
  if (!stats) return <Row figures={[text.requests, text.held, text.rate, text.median].map((label) => [label, ''])} />;
  const { requests, held, approved, denied } = stats;
  const decided = approved + denied;
  return (
    <Row
      figures={[
        [text.requests, number(requests)],
        [text.held, number(held), requests > 0 ? text.share(held / requests) : ''],
        [
          text.rate,
          decided > 0 ? percent(approved / decided) : text.none,
          decided > 0 ? text.decided(approved, denied) : '',
        ],
        [text.median, formatMedian(stats)],
      ]}
    />
  );
}

/** Four figures about decisions. */
export function DecisionFigures({ stats }: Props) {
  const labels = [text.approved, text.denied, text.rate, text.median];
  if (!stats) return <Row figures={labels.map((label) => [label, ''])} />;
  const { approved, denied } = stats;
  return (
    <Row
      figures={[
        [text.approved, number(approved)],
        [text.denied, number(denied)],
        [text.rate, approved + denied > 0 ? percent(approved / (approved + denied)) : text.none],
        [text.median, formatMedian(stats)],
      ]}
    />
  );
}

const formatMedian = ({ medianDecisionSeconds }: AuditStats): string =>
  medianDecisionSeconds === null ? text.none : duration(medianDecisionSeconds);

function Row({ figures }: { figures: Figure[] }) {
  return (
    <SimpleGrid
      cols={{ base: 2, md: 4 }}
      spacing={{ base: 'sm', md: 'md' }}
      m={0}
      renderRoot={(root) => <dl {...root} />}
    >
      {figures.map(([label, value, note]) => (
        <Card key={label}>
          <Text component="dt" c="dimmed" size="sm">
            {label}
          </Text>
          <Text component="dd" fz={22} fw={650} lh={1.35} mih={30}>
            {value || (
              <Delayed>
                <Skeleton height={24} width={64} />
              </Delayed>
            )}
          </Text>
          {note && (
            <Text component="dd" c="dimmed" size="xs">
              {note}
            </Text>
          )}
        </Card>
      ))}
    </SimpleGrid>
  );
}
