import { Button, Paper, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useMay } from '../lib/workspace.js';
import { ConfirmByName } from './confirm-by-name.js';

interface Props {
  title: string;
  /** Says what is deleted. */
  text: string;
  button: string;
  /** The name of the thing, which the user types to confirm. */
  name: string;
  busy: boolean;
  onConfirm: () => void;
  /** What else is lost, shown before the user confirms. */
  children: ReactNode;
}

/** Deletes a thing after the user types its name. Renders nothing for people who may not delete it. */
export function DangerZone({ title, text, button, name, busy, onConfirm, children }: Props) {
  const [open, setOpen] = useState(false);
  if (!useMay('admin')) return null;
  return (
    <Paper
      component="section"
      aria-labelledby="danger"
      p="lg"
      radius="lg"
      bg="transparent"
      bd="1px solid var(--agw-critical)"
    >
      <Title id="danger" order={2} size="h3">
        {title}
      </Title>
      <Text c="dimmed" size="sm" my="md">
        {text}
      </Text>
      <Button variant="default" c="var(--agw-critical)" onClick={() => setOpen(true)}>
        {button}
      </Button>
      <ConfirmByName
        opened={open}
        title={button}
        name={name}
        confirmLabel={button}
        busy={busy}
        onConfirm={onConfirm}
        onClose={() => setOpen(false)}
      >
        <Text>{text}</Text>
        {children}
      </ConfirmByName>
    </Paper>
  );
}
