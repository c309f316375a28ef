import { Box, Group, Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { limitMessages } from './messages.js';

interface Props {
  /** Whose use it is, or of which limit. */
  label: ReactNode;
  used: number;
  count: number;
}

/** From this share on, the rest of the window may get tight. */
const SCARCE = 0.8;

/** How much of a limit is used: in words, then as a bar. */
export function LimitBar({ label, used, count }: Props) {
  const share = used / count;
  const isUp = used >= count;
  return (
    <Box>
      <Group justify="space-between" gap="2px 12px" fz="sm">
        <Box miw={0} style={{ overflowWrap: 'anywhere' }}>
          {label}
        </Box>
        <Text span inherit c={isUp ? 'var(--agw-critical)' : undefined} fw={isUp ? 600 : undefined}>
          {limitMessages.used(used, count)}
        </Text>
      </Group>
      {/* The text says the same. */}
      <Progress
        size={6}
        aria-hidden="true"
        value={Math.min(100, share * 100)}
        color={isUp ? 'var(--agw-critical)' : share >= SCARCE ? 'var(--agw-amber)' : 'var(--agw-accent)'}
      />
    </Box>
  );
}
