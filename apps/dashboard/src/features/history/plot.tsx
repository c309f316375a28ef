import type { ReactNode } from 'react';
import classes from './charts.module.css';

/** A label and its position on an axis: 0 is the start (left, bottom), 1 is the end. */
interface Tick {
  at: number;
  label: string;
}

interface Props {
  /** The text alternative of the chart. */
  label: string;
  /** The titles of the axes. */
  y: { name: string; ticks: readonly Tick[] };
  x: { name: string; ticks: readonly Tick[] };
  children: ReactNode;
}

export const WIDTH = 600;
export const HEIGHT = 150;

/** A drawing area of WIDTH by HEIGHT with two labelled axes. The labels are HTML, because the drawing is stretched. */
export function Plot({ label, y, x, children }: Props) {
  return (
    <div className={classes.plot}>
      <span className={classes.yName}>{y.name}</span>
      <div className={classes.yAxis} aria-hidden="true">
        {/* The widest label sets the width. */}
        <span className={classes.yRoom}>{y.ticks.reduce((a, b) => (b.label.length > a.length ? b.label : a), '')}</span>
        {y.ticks.map((tick) => (
          <span key={tick.label} className={classes.yTick} style={{ insetBlockEnd: `${tick.at * 100}%` }}>
            {tick.label}
          </span>
        ))}
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={classes.svg}
        role="img"
        aria-label={label}
      >
        {y.ticks
          .filter(({ at }) => at > 0)
          .map(({ at, label }) => (
            <line
              key={label}
              x1="0"
              x2={WIDTH}
              y1={(1 - at) * HEIGHT}
              y2={(1 - at) * HEIGHT}
              stroke="var(--agw-line)"
              vectorEffect="non-scaling-stroke"
            />
          ))}
        {children}
      </svg>
      <div className={classes.xAxis} aria-hidden="true">
        {x.ticks.map((tick) => (
          <span
            key={`${tick.at} ${tick.label}`}
            className={classes.xTick}
            data-edge={tick.at < 0.08 ? 'start' : tick.at > 0.92 ? 'end' : undefined}
            style={{ insetInlineStart: `${tick.at * 100}%` }}
          >
            {tick.label}
          </span>
        ))}
      </div>
      <span className={classes.xName}>{x.name}</span>
    </div>
  );
}
