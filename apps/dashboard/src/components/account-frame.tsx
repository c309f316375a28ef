import { Box, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { messages } from '../lib/messages.js';

/** The frame around the pages before login. */
export function AccountFrame({ children, wide = false }: { children: ReactNode; wide?: boolean }) {
  return (
    <Box
      component="main"
      maw={wide ? 760 : 432}
      mih="100dvh"
      mx="auto"
      px="lg"
      pt={wide ? 'clamp(24px, 6vh, 64px)' : 'clamp(24px, 12vh, 120px)'}
      pb={48}
    >
      <Group mb="xl" fz="lg" fw={650}>
        <svg width="30" height="30" viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="8" fill="var(--agw-accent)" />
          <path d="M9 7v18M23 7v18" stroke="var(--agw-surface)" strokeWidth="3" strokeLinecap="round" />
          <circle cx="16" cy="16" r="3.5" fill="var(--agw-surface)" />
        </svg>
        {messages.product}
      </Group>
      {children}
    </Box>
  );
}
