import { Spoiler } from '@mantine/core';
import type { ReactNode } from 'react';
import { sharedMessages } from '../lib/messages.js';

/** Three lines of 22 px, the line height of the theme. */
const MAX_HEIGHT = 66;

/** Shows three lines of untrusted text and a "Show all" button, so that a long text cannot push other content away. */
export function Clamped({ children }: { children: ReactNode }) {
  return (
    <Spoiler
      maxHeight={MAX_HEIGHT}
      showLabel={sharedMessages.actions.showAll}
      hideLabel={sharedMessages.actions.showLess}
    >
      {children}
    </Spoiler>
  );
}
