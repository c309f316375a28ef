import { Badge } from '@mantine/core';
import type { RiskWord } from '#contracts/states';
import { score as formatScore } from '../lib/format.js';
import { sharedMessages } from '../lib/messages.js';
import { riskWord } from '../lib/risk.js';
import classes from './risk-badge.module.css';

/** Four shapes that differ without colour: ring, half disc, disc, diamond. */
function RiskShape({ word }: { word: RiskWord }) {
  return (
    <svg width="13" height="13" viewBox="0 0 14 14" aria-hidden="true" style={{ flex: 'none' }}>
      {word === 'critical' ? (
        <path d="M7 .6 13.4 7 7 13.4.6 7z" fill="currentColor" />
      ) : (
        <circle
          cx="7"
          cy="7"
          r="5.4"
          fill={word === 'high' ? 'currentColor' : 'none'}
          stroke="currentColor"
          strokeWidth="1.8"
        />
      )}
      {word === 'medium' && <path d="M7 1.6a5.4 5.4 0 0 1 0 10.8z" fill="currentColor" />}
    </svg>
  );
}

interface Props {
  score: number;
  /** `short` shows shape and number, for rows. `full` adds the word. */
  size?: 'short' | 'full';
}

export function RiskBadge({ score, size = 'full' }: Props) {
  const word = riskWord(score);
  const number = <span className={classes.number}>{formatScore(score)}</span>;
  if (size === 'full') {
    return (
      <Badge size="lg" color={word} leftSection={<RiskShape word={word} />}>
        {sharedMessages.risk[word]} {number}
      </Badge>
    );
  }
  // A list has many of these, so they do not use Mantine components.
  return (
    <span className={classes.short} style={{ color: `var(--agw-${word})` }}>
      <RiskShape word={word} />
      <span className="visually-hidden">{sharedMessages.risk[word]} </span>
      {number}
    </span>
  );
}
