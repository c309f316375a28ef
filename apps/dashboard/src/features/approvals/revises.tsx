import type { Action } from '#contracts';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Callout } from '../../components/notices.js';
import { ActionLink } from './action-link.js';
import { actionQuery } from './api.js';
import { compareRequests } from './difference/difference.js';
import { DifferenceView } from './difference/difference-view.js';
import { messages } from './messages.js';
import { revisesMessages } from './revises-messages.js';
import { useWhole } from './use-whole.js';

/** Shows that a person changed the agent's request, and the differences. */
export default function Revises({ action, id }: { action: Action; id: string }) {
  const { data } = useQuery(actionQuery(id));
  // The difference needs all of both.
  const { action: proposed } = useWhole(data, true);
  const { action: revised = action } = useWhole(action, true);
  return (
    <Stack gap="sm">
      <Callout tone="warning">
        {revisesMessages.changed(proposed?.resolved_by?.name ?? messages.timeline.somebody)}
        <div>
          {revisesMessages.revises} <ActionLink id={id} />
        </div>
      </Callout>
      {proposed && !proposed.bodyTruncated && !revised.bodyTruncated && (
        <DifferenceView difference={compareRequests(proposed, revised)} />
      )}
    </Stack>
  );
}
