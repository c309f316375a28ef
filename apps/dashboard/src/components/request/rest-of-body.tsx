import { Anchor, Text } from '@mantine/core';
import { bytes as formatBytes } from '../../lib/format.js';
import { sharedMessages } from '../../lib/messages.js';
import { ErrorCard } from '../notices.js';

interface Props {
  /** The size of the whole body, if it is known. */
  bytes: number | null;
  isLoading: boolean;
  error: Error | null;
  load: () => void;
}

/** Below the beginning of a long body. The first press of "Approve" goes here when all above was on the screen. */
export default function RestOfBody({ bytes, isLoading, error, load }: Props) {
  if (error) return <ErrorCard error={error} retry={load} />;
  return (
    <Text size="sm" mt={6} data-folded>
      {sharedMessages.request.beginning(bytes === null ? null : formatBytes(bytes))}{' '}
      <Anchor component="button" type="button" size="sm" py="xs" disabled={isLoading} onClick={load}>
        {isLoading ? sharedMessages.request.loadingAll : sharedMessages.request.showAll}
      </Anchor>
    </Text>
  );
}
