import type { SameThing as Found } from '#contracts';
import { Text } from '@mantine/core';
import { Link } from 'react-router';
import { sameThingMessages } from './same-thing-messages.js';

/** Says that other waiting requests are about the same thing, and shows them in the list. */
export default function SameThing({ found: { name, text, count }, serviceId }: { found: Found; serviceId: number }) {
  return (
    <Text component="div">
      {sameThingMessages.others(count)} <b translate="no">{name}</b>.{' '}
      <Link to={`/approvals?${new URLSearchParams({ service: String(serviceId), q: text }).toString()}`}>
        {sameThingMessages.link(count)}
      </Link>
    </Text>
  );
}
