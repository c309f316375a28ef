import type { DecisionTimes } from '#contracts';
import { dateTime, day, duration, number } from '../../lib/format.js';
import { ChartFrame, Legend } from './chart-frame.js';
import classes from './charts.module.css';
import { messages } from './messages.js';

const text = messages.charts;
const WIDTH = 600;
const HEIGHT = 150;
/** Decisions take seconds or days: a logarithm shows both. */
const scale = (seconds: number, top: number): number => HEIGHT - (Math.log1p(seconds) / Math.log1p(top)) * HEIGHT;

/** How long agents waited for a human: half of the decisions, and nearly all. */
export function DecisionChart({ times, bucket }: { times: readonly DecisionTimes[]; bucket: 'hour' | 'day' }) {
  const top = Math.max(60, ...times.map(({ p95Seconds }) => p95Seconds));
  const first = times[0] ? Date.parse(times[0].at) : 0;
  const span = Math.max(1, (times.length > 0 ? Date.parse(times.at(-1)!.at) : 0) - first);
  const points = times.map((each) => ({
    ...each,
    x: times.length === 1 ? WIDTH / 2 : 8 + ((Date.parse(each.at) - first) / span) * (WIDTH - 16),
  }));
  const path = (key: 'p50Seconds' | 'p95Seconds') =>
    points.map((point, index) => `${index === 0 ? 'M' : 'L'}${point.x} ${scale(point[key], top)}`).join('');
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
        <div className={classes.plot}>
          <span className={classes.top}>{duration(top)}</span>
          <svg
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            preserveAspectRatio="none"
            className={classes.svg}
            role="img"
            aria-label={text.within(middle?.p50Seconds ?? 0, worst)}
          >
            {[60, 3600, 86_400]
              .filter((seconds) => seconds < top)
              .map((seconds) => (
                <line
                  key={seconds}
                  x1="0"
                  x2={WIDTH}
                  y1={scale(seconds, top)}
                  y2={scale(seconds, top)}
                  className={classes.grid}
                />
              ))}
            <path d={path('p95Seconds')} className={classes.line} data-tone="p95" />
            <path d={path('p50Seconds')} className={classes.line} data-tone="p50" />
            {points.map((point) => (
              <g key={point.at}>
                <title>{`${bucket === 'day' ? day(point.at) : dateTime(point.at)}: ${text.within(point.p50Seconds, point.p95Seconds)}`}</title>
                <rect x={point.x - 10} y="0" width="20" height={HEIGHT} fill="transparent" />
                <rect x={point.x - 2} y={scale(point.p95Seconds, top) - 3} width="4" height="6" data-tone="p95" />
                <rect x={point.x - 2} y={scale(point.p50Seconds, top) - 3} width="4" height="6" data-tone="p50" />
              </g>
            ))}
          </svg>
          <div className={classes.axis} aria-hidden="true">
            <span>{times[0] && day(times[0].at)}</span>
            <span>{times.length > 1 && day(times.at(-1)!.at)}</span>
          </div>
        </div>
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
