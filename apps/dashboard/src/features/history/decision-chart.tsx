import type { DecisionTimes } from '#contracts';
import { dateTime, day, duration, number, timeOfDay } from '../../lib/format.js';
import { COLORS } from './chart-colors.js';
import { ChartFrame, Legend } from './chart-frame.js';
import { durationTicks, pickEvenly } from './chart-scale.js';
import { messages } from './messages.js';
import { HEIGHT, Plot, WIDTH } from './plot.js';

const text = messages.charts;
const LINE = { fill: 'none', strokeWidth: 2, vectorEffect: 'non-scaling-stroke' } as const;

/** How long agents waited for a decision: median and 95th percentile. */
export function DecisionChart({ times, bucket }: { times: readonly DecisionTimes[]; bucket: 'hour' | 'day' }) {
  const ticks = durationTicks(Math.max(0, ...times.map(({ p95Seconds }) => p95Seconds)));
  // Decisions take seconds or days. A logarithmic axis shows both.
  const height = (seconds: number) => Math.log1p(seconds) / Math.log1p(ticks.at(-1)!);
  const y = (seconds: number) => (1 - height(seconds)) * HEIGHT;
  const first = times[0] ? Date.parse(times[0].at) : 0;
  const span = Math.max(1, (times.length > 0 ? Date.parse(times.at(-1)!.at) : 0) - first);
  const points = times.map((each) => ({
    ...each,
    x: times.length === 1 ? WIDTH / 2 : 8 + ((Date.parse(each.at) - first) / span) * (WIDTH - 16),
  }));
  const path = (key: 'p50Seconds' | 'p95Seconds') =>
    points.map((point, index) => `${index === 0 ? 'M' : 'L'}${point.x} ${y(point[key])}`).join('');
  const oneDay = times.length > 0 && day(times[0]!.at) === day(times.at(-1)!.at);
  const label = (at: string) => (bucket === 'day' ? day(at) : oneDay ? timeOfDay(at) : `${day(at)} ${timeOfDay(at)}`);
  const worst = Math.max(0, ...times.map(({ p95Seconds }) => p95Seconds));
  const middle = [...times].sort((a, b) => a.p50Seconds - b.p50Seconds)[Math.floor(times.length / 2)];
  return (
    <ChartFrame
      title={text.decisions}
      empty={times.length === 0}
      legend={
        <Legend
          items={[
            { tone: 'p50', label: text.p50 },
            { tone: 'p95', label: text.p95 },
          ]}
        />
      }
      chart={
        <Plot
          label={text.within(middle?.p50Seconds ?? 0, worst)}
          y={{ name: text.waited, ticks: ticks.map((seconds) => ({ at: height(seconds), label: duration(seconds) })) }}
          x={{
            name: bucket === 'day' ? text.days : text.hours,
            ticks: pickEvenly(points, 4).map(([{ x, at }]) => ({ at: x / WIDTH, label: label(at) })),
          }}
        >
          <path d={path('p95Seconds')} {...LINE} stroke={COLORS.p95} strokeDasharray="5 4" />
          <path d={path('p50Seconds')} {...LINE} stroke={COLORS.p50} />
          {points.map((point) => (
            <g key={point.at}>
              <title>{`${bucket === 'day' ? day(point.at) : dateTime(point.at)}: ${text.within(point.p50Seconds, point.p95Seconds)}`}</title>
              <rect x={point.x - 10} y="0" width="20" height={HEIGHT} fill="transparent" />
              <rect x={point.x - 2} y={y(point.p95Seconds) - 3} width="4" height="6" fill={COLORS.p95} />
              <rect x={point.x - 2} y={y(point.p50Seconds) - 3} width="4" height="6" fill={COLORS.p50} />
            </g>
          ))}
        </Plot>
      }
      table={{
        columns: [text.time, text.decided, text.p50, text.p95],
        rows: times.map((each) => ({
          key: each.at,
          cells: [
            bucket === 'day' ? day(each.at) : dateTime(each.at),
            number(each.decided),
            duration(each.p50Seconds),
            duration(each.p95Seconds),
          ],
        })),
      }}
    />
  );
}
