import type { AuditStats } from '#contracts';
import { Skeleton } from '@mantine/core';
import { Delayed } from '../../components/Skeletons.js';
import { duration, number, percent } from '../../lib/format.js';
import classes from './history.module.css';
import { messages } from './messages.js';

const text = messages.figures;

/** The four numbers of the range. */
export function Figures({ stats }: { stats: AuditStats | undefined }) {
  const decided = stats ? stats.approved + stats.denied : 0;
  const figures: [label: string, value: string, note: string][] = stats
    ? [
        [text.requests, number(stats.requests), ''],
        [text.held, number(stats.held), stats.requests > 0 ? text.share(stats.held / stats.requests) : ''],
        [
          text.rate,
          decided > 0 ? percent(stats.approved / decided) : text.none,
          decided > 0 ? text.decided(stats.approved, stats.denied) : '',
        ],
        [text.median, stats.medianDecisionSeconds === null ? text.none : duration(stats.medianDecisionSeconds), ''],
      ]
    : [
        [text.requests, '', ''],
        [text.held, '', ''],
        [text.rate, '', ''],
        [text.median, '', ''],
      ];
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
