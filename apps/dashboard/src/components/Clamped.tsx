import { Spoiler } from '@mantine/core';
import type { ReactNode } from 'react';
import { messages } from '../lib/messages.js';

/** Three lines of 22 px, as the theme sets them. */
const MAX_HEIGHT = 66;

/** Text that somebody else wrote: three lines of it until all are asked for, so that it can't push away what stands below. */
export function Clamped({ children }: { children: ReactNode }) {
  return (
    <Spoiler maxHeight={MAX_HEIGHT} showLabel={messages.actions.showAll} hideLabel={messages.actions.showLess}>
      {children}
    </Spoiler>
  );
}
