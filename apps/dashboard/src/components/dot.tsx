import { Box } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** Without a colour, the dot is hollow. */
  color?: string;
  title?: string;
  /** The meaning, for screen readers. */
  children?: ReactNode;
}

/** A small disc that shows a state. */
export function Dot({ color, title, children }: Props) {
  return (
    <Box
      component="span"
      w={8}
      h={8}
      flex="none"
      bdrs={4}
      bg={color}
      title={title}
      style={color ? undefined : { boxShadow: 'inset 0 0 0 1.5px var(--agw-line-strong)' }}
    >
      {children}
    </Box>
  );
}
