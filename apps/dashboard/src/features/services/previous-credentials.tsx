import type { Service } from '#contracts';
import { Group } from '@mantine/core';
import { Card, Section } from '../../components/page.js';
import { Countdown, Moment } from '../../components/time.js';
import { messages } from './messages.js';
import { RevertButton } from './revert-button.js';

const text = messages.rotation.previous;

/** The set that was replaced last, while it is kept. */
export function PreviousCredentials({ service }: { service: Service }) {
  if (service.previousCredentials === null) return null;
  const { expiresAt } = service.previousCredentials;
  return (
    <Section title={text.title}>
      <Card>
        <Group justify="space-between">
          <span>
            {text.keptUntil} <Moment at={expiresAt} /> <Countdown until={expiresAt} words={text.left} />
          </span>
          <RevertButton service={service} variant="default" />
        </Group>
      </Card>
    </Section>
  );
}
