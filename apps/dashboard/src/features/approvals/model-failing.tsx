import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../../components/icon.js';
import { useNow } from '../../lib/clock.js';
import { untilTime } from '../../lib/format.js';
import { modelFailingMessages } from './model-failing-messages.js';

/** Says that the risk model fails: the scores and explanations below come from elsewhere. */
export default function ModelFailing({ since }: { since: string }): ReactNode {
  const time = useNow((now) => untilTime(since, now));
  return (
    <Group role="status" gap="xs" wrap="nowrap" align="flex-start" flex="none" px="lg" pb="sm">
      <Icon name="warning" size={18} />
      <Text size="sm">{modelFailingMessages.since(time)}</Text>
    </Group>
  );
}
