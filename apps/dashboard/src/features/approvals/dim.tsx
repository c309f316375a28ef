import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A line of secondary text. */
export function Dim({ children }: { children: ReactNode }) {
  return (
    <Text component="div" size="sm" c="dimmed">
      {children}
    </Text>
  );
}
