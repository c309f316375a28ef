import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

const COLORS = { plain: 'plain', good: 'low', warning: 'medium', bad: 'critical' } as const;

interface Props {
  tone?: keyof typeof COLORS;
  /** Uses the whole width of its place. */
  wide?: boolean;
  children: ReactNode;
}

/** A tinted word for a state. `StatusChip` shows the states of actions. */
export function Chip({ tone = 'plain', wide = false, children }: Props) {
  return (
    <Badge color={COLORS[tone]} fullWidth={wide}>
      {children}
    </Badge>
  );
}
