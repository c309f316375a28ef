import type { AskedEffect } from '#contracts/effects';
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { AskForField } from './ask-for-field.js';
import { askForMessages } from './ask-for-messages.js';
import { AskedWords } from './asked-words.js';

/** The same choice as one line, which opens on request. For forms that should stay short. */
export function FoldedAskFor(props: { value: readonly AskedEffect[]; onChange: (value: AskedEffect[]) => void }) {
  const [open, setOpen] = useState(false);
  if (open) return <AskForField {...props} />;
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          {askForMessages.title}
        </Text>
        <Button
          variant="subtle"
          size="xs"
          aria-label={`${askForMessages.change}: ${askForMessages.title}`}
          aria-expanded={false}
          onClick={() => setOpen(true)}
        >
          {askForMessages.change}
        </Button>
      </Group>
      <AskedWords words={props.value} />
    </div>
  );
}
