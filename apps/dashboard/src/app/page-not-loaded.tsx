import { useEffect } from 'react';
import { EmptyState, ErrorCard } from '../components/notices.js';
import { onLive, useLive } from '../lib/live.js';
import { sharedMessages } from '../lib/messages.js';
import { useReloadIfReplaced } from './replaced.js';

/** Shown when the code of a page cannot be loaded: there is no connection, or a new version was installed. */
export class PageNotLoaded extends Error {}

/**
 * The URL is already that of the page, so a reload opens it. This happens automatically when the gateway is reachable
 * again.
 */
export function PageNotLoadedNotice() {
  const { connected } = useLive();
  useEffect(
    () =>
      onLive(({ type }) => {
        if (type === 'opened') location.reload();
      }),
    [],
  );
  if (!connected)
    return (
      <EmptyState
        heading
        icon="warning"
        title={sharedMessages.errors.offlineTitle}
        text={sharedMessages.errors.offlinePage}
      />
    );
  return <Crashed error={new Error(sharedMessages.errors.newVersion)} />;
}

/** Shown in place of a page that threw an error, or that could not load a part of itself. */
export function Crashed({ error }: { error: unknown }) {
  useReloadIfReplaced();
  return <ErrorCard error={error} title={sharedMessages.errors.crashed} retry={() => location.reload()} />;
}
