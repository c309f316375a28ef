import { Box, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { sharedMessages } from '../lib/messages.js';
import { Logo } from './logo.js';

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
        <Logo size={30} />
        {sharedMessages.product}
      </Group>
      {children}
    </Box>
  );
}
