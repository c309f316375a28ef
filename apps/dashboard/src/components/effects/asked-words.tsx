import type { AskedEffect } from '#contracts/effects';
import { Group, Text } from '@mantine/core';
import { Chip } from '../chip.js';
import { askForMessages } from './ask-for-messages.js';
import { askedInOrder } from './told.js';

/** What people are asked about, as words. */
export const AskedWords = ({ words }: { words: readonly AskedEffect[] }) =>
  words.length === 0 ? (
    <Text c="dimmed">{askForMessages.nothing}</Text>
  ) : (
    <Group gap={6} className="plain-list" renderRoot={(root) => <ul {...root} />}>
      {askedInOrder(words).map((word) => (
        <li key={word}>
          <Chip>{askForMessages.words[word].title}</Chip>
        </li>
      ))}
    </Group>
  );
