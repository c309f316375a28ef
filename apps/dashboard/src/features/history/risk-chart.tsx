import type { AuditStats } from '#contracts';
import { Stack, Text } from '@mantine/core';
import { useId, useState } from 'react';
import { number, score } from '../../lib/format.js';
import { riskWord } from '../../lib/risk.js';
import { COLORS } from './chart-colors.js';
import { ChartFrame, Legend } from './chart-frame.js';
import { askedMore, countTicks, niceTop } from './chart-scale.js';
import { messages } from './messages.js';
import { HEIGHT, Plot, WIDTH } from './plot.js';

const text = messages.charts;
const STEPS = 20;
const LINE = { stroke: COLORS.threshold, vectorEffect: 'non-scaling-stroke' } as const;

/** The distribution of risk scores, the threshold, and the effect of another threshold. */
export function RiskChart({ stats }: { stats: AuditStats }) {
  const [tried, setTried] = useState<number | null>(null);
  const id = useId();
  const counts = Array.from(
    { length: STEPS },
    (_, step) => stats.risk.find(({ from }) => Math.round(from * STEPS) === step)?.requests ?? 0,
  );
  const top = niceTop(Math.max(0, ...counts));
  const threshold = tried ?? Math.max(0, Math.round(stats.riskThreshold * STEPS - 1) / STEPS);
  const more = askedMore(stats, threshold);
  const sentence =
    more > 0 ? text.more(threshold, more) : more < 0 ? text.fewer(threshold, -more) : text.same(stats.riskThreshold);
  const step = WIDTH / STEPS;
  return (
    <ChartFrame
      title={text.risk}
      legend={<Legend items={[{ tone: 'threshold', label: text.threshold(stats.riskThreshold) }]} />}
      empty={counts.every((count) => count === 0)}
      chart={
        <Stack gap={0}>
          <Plot
            label={`${text.threshold(stats.riskThreshold)}. ${sentence}`}
            y={{ name: text.requests, ticks: countTicks(top) }}
            x={{ name: text.scoreAxis, ticks: [0, 0.2, 0.4, 0.6, 0.8, 1].map((at) => ({ at, label: at.toFixed(1) })) }}
          >
            {counts.map((count, index) => (
              <g key={index}>
                <title>{text.bucket(index / STEPS, (index + 1) / STEPS, count)}</title>
                <rect x={index * step} y="0" width={step} height={HEIGHT} fill="transparent" />
                <rect
                  x={index * step + 2}
                  y={HEIGHT - (count / top) * HEIGHT}
                  width={step - 4}
                  height={(count / top) * HEIGHT}
                  fill={COLORS[riskWord(index / STEPS)]}
                />
              </g>
            ))}
            <line
              x1={stats.riskThreshold * WIDTH}
              x2={stats.riskThreshold * WIDTH}
              y1="0"
              y2={HEIGHT}
              {...LINE}
              strokeWidth="2"
            />
            {tried !== null && (
              <line
                x1={threshold * WIDTH}
                x2={threshold * WIDTH}
                y1="0"
                y2={HEIGHT}
                {...LINE}
                strokeWidth="1.5"
                strokeDasharray="4 4"
              />
            )}
          </Plot>
          <label htmlFor={id} className="visually-hidden">
            {text.tryThreshold}
          </label>
          <input
            id={id}
            type="range"
            style={{ marginBlockStart: 6, accentColor: 'var(--agw-accent)' }}
            title={text.tryThreshold}
            min="0"
            max="1"
            step="0.05"
            value={threshold}
            aria-valuetext={sentence}
            onChange={(event) => setTried(Number(event.currentTarget.value))}
          />
          <Text size="sm" mt={2}>
            {sentence}
          </Text>
        </Stack>
      }
      table={{
        columns: [text.score, text.requests],
        rows: counts.map((count, index) => ({ key: String(index), cells: [score(index / STEPS), number(count)] })),
      }}
    />
  );
}
