import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { EmptyState } from '../../components/notices.js';
import type { Back } from './facts.js';
import { noActionMessages } from './no-action-messages.js';

/** In place of an action that is not there. */
export default function NoAction({ back }: { back: Back }) {
  return (
    <EmptyState
      heading
      icon="search"
      title={noActionMessages.title}
      text={noActionMessages.text}
      action={
        <Button component={Link} to={back.to}>
          {back.done}
        </Button>
      }
    />
  );
}
