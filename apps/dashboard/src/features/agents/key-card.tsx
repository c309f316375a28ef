import type { Agent } from '#contracts';
import { Button, Divider, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Card } from '../../components/page.js';
import { messages } from './messages.js';
import { OldKey } from './old-key.js';
import { RotateKeyDialog } from './rotate-key-dialog.js';
import { useSetActive } from './use-set-active.js';

const text = messages.key;

/** Rotates the key, and revokes or restores the agent. */
export function KeyCard({ agent }: { agent: Agent }) {
  const [rotating, setRotating] = useState(false);
  const setActive = useSetActive(agent);
  return (
    <Card>
      <Stack>
        <Title order={2} size="h3">
          {text.title}
        </Title>
        <Text c="dimmed" size="sm">
          {text.rotateText}
        </Text>
        <OldKey agent={agent} />
        <Button variant="default" w="fit-content" onClick={() => setRotating(true)}>
          {text.rotate}
        </Button>
        <Divider my={4} />
        <Text c="dimmed" size="sm">
          {agent.isActive ? text.revokeText : text.restoreText}
        </Text>
        <Button
          variant={agent.isActive ? 'default' : 'filled'}
          w="fit-content"
          loading={setActive.isPending}
          onClick={() => setActive.mutate(!agent.isActive)}
        >
          {agent.isActive ? text.revoke : text.restore}
        </Button>
      </Stack>
      {rotating && <RotateKeyDialog agent={agent} close={() => setRotating(false)} />}
    </Card>
  );
}
