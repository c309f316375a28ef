import type { TimeBucket } from '#contracts';
import { Anchor } from '@mantine/core';
import { dateTime, day, number, timeOfDay } from '../../lib/format.js';
import { COLORS } from './chart-colors.js';
import { ChartFrame, Legend } from './chart-frame.js';
import { bucketAround, countTicks, niceTop, pickEvenly } from './chart-scale.js';
import classes from './charts.module.css';
import { messages } from './messages.js';
import { HEIGHT, Plot, WIDTH } from './plot.js';

const text = messages.charts;
/** From the bottom up. Executions are left out, because their requests are counted as held. */
const STACK = ['forwarded', 'held', 'refused'] as const;

interface Props {
  buckets: readonly TimeBucket[];
  bucket: 'hour' | 'day';
  onTime: (fromMs: number, toMs: number) => void;
}

/** The outcomes of requests per hour or day. A bar links to its time range. */
export function OutcomeChart({ buckets, bucket, onTime }: Props) {
  const totals = buckets.map((each) => STACK.reduce((sum, key) => sum + each[key], 0));
  const top = niceTop(Math.max(0, ...totals));
  const step = WIDTH / Math.max(1, buckets.length);
  const width = Math.max(1, Math.min(step * 0.8, 40));
  const label = (at: string) => (bucket === 'day' ? day(at) : `${day(at)} ${timeOfDay(at)}`);
  const open = (at: string) => {
    onTime(...bucketAround(Date.parse(at), bucket));
  };
  const sums = STACK.map((key) => buckets.reduce((sum, each) => sum + each[key], 0));
  const oneDay = buckets.length > 0 && day(buckets[0]!.at) === day(buckets.at(-1)!.at);
  return (
    <ChartFrame
      title={text.outcomes}
      empty={totals.every((total) => total === 0)}
      legend={<Legend items={STACK.map((tone) => ({ tone, label: messages.outcomes[tone] }))} />}
      chart={
        <Plot
          label={text.outcomesLabel(sums[0]! + sums[1]! + sums[2]!, sums[1]!, sums[2]!)}
          y={{ name: bucket === 'day' ? text.perDay : text.perHour, ticks: countTicks(top) }}
          x={{
            name: bucket === 'day' ? text.days : text.hours,
            ticks: pickEvenly(buckets, 4).map(([{ at }, index]) => ({
              at: (index + 0.5) / buckets.length,
              label: bucket === 'hour' && oneDay ? timeOfDay(at) : label(at),
            })),
          }}
        >
          {buckets.map((each, index) => {
            let y = HEIGHT;
            return (
              <g key={each.at} className={classes.bar} onClick={() => open(each.at)}>
                <title>{`${label(each.at)}: ${STACK.map((key) => `${messages.outcomes[key]} ${each[key]}`).join(', ')}`}</title>
                <rect x={index * step} y="0" width={step} height={HEIGHT} fill="transparent" />
                {STACK.map((key) => {
                  const height = (each[key] / top) * HEIGHT;
                  y -= height;
                  return (
                    <rect
                      key={key}
                      x={index * step + (step - width) / 2}
                      y={y}
                      width={width}
                      height={height}
                      fill={COLORS[key]}
                    />
                  );
                })}
              </g>
            );
          })}
        </Plot>
      }
      table={{
        columns: [text.time, ...STACK.map((key) => messages.outcomes[key])],
        rows: buckets
          .filter((_, index) => totals[index]! > 0)
          .map((each) => ({
            key: each.at,
            cells: [
              <Anchor component="button" type="button" inherit title={text.onlyTime} onClick={() => open(each.at)}>
                {bucket === 'day' ? day(each.at) : dateTime(each.at)}
              </Anchor>,
              ...STACK.map((key) => number(each[key])),
            ],
          })),
      }}
    />
  );
}
