import { Box, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { pageTitle } from '../lib/title.js';

interface Props {
  title: string;
  /** The title is the name of a thing, which nobody may translate. */
  named?: boolean;
  /** A link above the title, back to the list. */
  above?: ReactNode;
  /** State or counts beside the title. */
  aside?: ReactNode;
  /** The page's buttons, at the end of the header. */
  actions?: ReactNode;
  /** A sentence under the title. */
  lead?: ReactNode;
  /** `text` limits the line length, `wide` is for tables. */
  width?: 'text' | 'wide';
  children: ReactNode;
}

/** A page with its heading. It sets the document title; the shell adds the number of waiting actions. */
export function Page({ title, named = false, above, aside, actions, lead, width = 'wide', children }: Props) {
  useEffect(() => pageTitle.set(title), [title]);
  return (
    <Stack gap="xl" p={{ base: 'lg', xs: 'xl' }} maw={width === 'text' ? 800 : 1280}>
      <Group justify="space-between" gap="8px 16px" renderRoot={(root) => <header {...root} />}>
        {above && (
          <Box w="100%" mb={-4}>
            {above}
          </Box>
        )}
        <Group align="baseline" gap="4px 12px" miw={0}>
          <Title order={1} tabIndex={-1} className="anywhere" translate={named ? 'no' : undefined}>
            {title}
          </Title>
          {aside}
        </Group>
        {actions && <Group gap="sm">{actions}</Group>}
        {lead && (
          <Text component="div" w="100%" c="dimmed">
            {lead}
          </Text>
        )}
      </Group>
      {children}
    </Stack>
  );
}

/** A section of a page with a title. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section>
      <Group justify="space-between" gap="sm" mb="sm">
        <Title order={2} size="h3">
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </section>
  );
}

export function Card({ children, padded = true }: { children: ReactNode; padded?: boolean }) {
  return (
    <Paper withBorder radius="lg" p={padded ? 'lg' : 0} style={{ overflow: 'hidden' }}>
      {children}
    </Paper>
  );
}
