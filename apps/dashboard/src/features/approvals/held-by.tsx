import type { HoldingRule } from '#contracts';
import { Text } from '@mantine/core';
import { ThingLink } from '../../components/thing-link.js';
import { heldByMessages } from './held-by-messages.js';

/** The rules that ask for the request now, and who made them. */
export default function HeldBy({ rules, serviceId }: { rules: readonly HoldingRule[]; serviceId: number }) {
  return (
    <ul className="plain-list">
      {rules.map(({ id, name, effect, createdBy }) => (
        <Text key={id} component="li" size="sm" c="dimmed">
          {heldByMessages.effects[effect]}{' '}
          <ThingLink kind="services" id={serviceId} tab={`rules#rule-${id}`}>
            {name}
          </ThingLink>
          {createdBy !== null && ` · ${heldByMessages.by(createdBy)}`}
        </Text>
      ))}
    </ul>
  );
}
