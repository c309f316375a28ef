import type { ActionSummary } from '#contracts';
import { Button, Group } from '@mantine/core';
import { takeBackMessages } from './take-back-messages.js';

interface Props {
  /** What is being sent. */
  busy: 'undo' | 'deny' | null;
  /** Those that can be pressed. */
  ways: readonly ('undo' | 'deny')[];
  press: (how: 'undo' | 'deny') => void;
}

/** The buttons that take approvals back. */
export function TakeBackButtons({ busy, ways, press }: Props) {
  return (
    <Group gap="xs">
      {ways.map((how) => (
        <Button
          key={how}
          size="xs"
          variant="default"
          disabled={busy !== null}
          loading={busy === how}
          onClick={() => press(how)}
        >
          {takeBackMessages[how]}
        </Button>
      ))}
    </Group>
  );
}

/** How the person can take back an approval of this action. */
export function waysBack({ status, executing, approvals: { you } }: ActionSummary): ('undo' | 'deny')[] {
  if (executing) return [];
  if (status === 'APPROVED') return you === 'approved' ? ['undo', 'deny'] : ['deny'];
  return status === 'PENDING' && you === 'approved' ? ['undo'] : [];
}
