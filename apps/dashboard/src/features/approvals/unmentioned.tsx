import type { Action } from '#contracts';
import { Text } from '@mantine/core';
import { unmentioned } from '../../lib/unmentioned.js';
import { unmentionedMessages } from './unmentioned-messages.js';

/** Says that the intent is about something else than what the request does. It changes nothing about the risk. */
export default function Unmentioned({ action: { intent, effects } }: { action: Action }) {
  const found = unmentioned(intent, effects);
  if (found.length === 0) return null;
  return (
    <Text size="sm" c="var(--agw-high)" fw={600}>
      {unmentionedMessages.text(found)}
    </Text>
  );
}
