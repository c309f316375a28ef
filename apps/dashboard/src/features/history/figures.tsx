import type { AuditStats } from '#contracts';
import { Skeleton } from '@mantine/core';
import { Delayed } from '../../components/skeletons.js';
import { duration, number, percent } from '../../lib/format.js';
import classes from './history.module.css';
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
        [text.median, medianOf(stats)],
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
        [text.median, medianOf(stats)],
      ]}
    />
  );
}

const medianOf = ({ medianDecisionSeconds }: AuditStats): string =>
  medianDecisionSeconds === null ? text.none : duration(medianDecisionSeconds);

function Row({ figures }: { figures: Figure[] }) {
  return (
    <dl className={classes.figures}>
      {figures.map(([label, value, note]) => (
        <div key={label} className={classes.figure}>
          <dt>{label}</dt>
          <dd>
            {value || (
              <Delayed>
                <Skeleton height={24} width={64} />
              </Delayed>
            )}
          </dd>
          {note && <dd className={classes.figureNote}>{note}</dd>}
        </div>
      ))}
    </dl>
  );
}
