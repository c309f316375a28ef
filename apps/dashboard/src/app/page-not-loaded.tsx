import { useEffect } from 'react';
import { EmptyState, ErrorCard } from '../components/Notices.js';
import { onLive, useLive } from '../lib/live.js';
import { messages } from '../lib/messages.js';

/** The code of a page did not arrive: there is no connection, or a new version was installed meanwhile. */
export class PageNotLoaded extends Error {}

/** The address is that of the page already, so a reload opens it: by itself when the gateway can be reached again. */
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
      <EmptyState heading icon="warning" title={messages.errors.offlineTitle} text={messages.errors.offlinePage} />
    );
  return (
    <ErrorCard
      error={new Error(messages.errors.newVersion)}
      title={messages.errors.crashed}
      retry={() => location.reload()}
    />
  );
}
