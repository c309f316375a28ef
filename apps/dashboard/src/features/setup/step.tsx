import { Anchor, Box, Group, Text, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../../components/icon.js';
import { messages } from './messages.js';

const STEPS = 3;

interface Props {
  number: number;
  title: string;
  lead?: string;
  done: boolean;
  open: boolean;
  /** The result of the step, while it is closed. */
  summary?: string;
  skip?: () => void;
  children: ReactNode;
}

/** One step of the setup: its heading and, while it is open, its form. */
export function Step({ number, title, lead, done, open, summary, skip, children }: Props) {
  return (
    <li aria-current={open ? 'step' : undefined}>
      <Group>
        <ThemeIcon
          size={26}
          radius="xl"
          variant={done ? 'light' : open ? 'filled' : 'default'}
          fz="sm"
          fw={650}
          aria-hidden="true"
        >
          {done ? <Icon name="check" size={16} /> : number}
        </ThemeIcon>
        <Title order={2} fw={open ? undefined : 500}>
          <span className="visually-hidden">
            {messages.step(number, STEPS)}
            {done ? `, ${messages.done}` : ''}:{' '}
          </span>
          {title}
        </Title>
        {!open && summary && (
          <Text span c="dimmed" size="sm" ms="auto">
            {summary}
          </Text>
        )}
        {open && skip && (
          <Anchor component="button" type="button" size="sm" ms="auto" onClick={skip}>
            {messages.skip}
          </Anchor>
        )}
      </Group>
      {open && (
        <Box ps={{ sm: 38 }} pt="sm" pb="sm">
          {lead && (
            <Text c="dimmed" mb="lg">
              {lead}
            </Text>
          )}
          {children}
        </Box>
      )}
    </li>
  );
}
