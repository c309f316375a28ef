import type { ConnectServiceResponse, Service } from '#contracts';
import { Button, type ButtonProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../../lib/http.js';
import { showFailure } from '../../lib/toasts.js';
import { useMay } from '../../lib/workspace.js';
import { needsPerson } from '../../lib/connection-state.js';
import { messages } from './messages.js';
import { ReconnectDialog } from './reconnect-dialog.js';

/** Leaves for the provider, where an administrator signs in. The provider leads back to the page of the service. */
export function ConnectButton({ service, ...button }: ButtonProps & { service: Service }) {
  const [asking, setAsking] = useState(false);
  const connect = useMutation({
    mutationFn: () => post<ConnectServiceResponse>(`/services/${service.id}/oauth/connect`, {}),
    onSuccess: ({ url }) => window.location.assign(url),
    onError: showFailure,
  });
  if (!useMay('admin') || service.oauth?.grant !== 'authorization_code') return null;
  const label = service.connection?.state === 'none' ? messages.connection.connect : messages.connection.reconnect;
  const busy = connect.isPending || connect.isSuccess;
  // Without a working connection, nothing can break.
  const press = () => (needsPerson(service) ? connect.mutate() : setAsking(true));
  return (
    <>
      <Button {...button} loading={busy} onClick={press}>
        {label}
      </Button>
      {asking && (
        <ReconnectDialog
          service={service}
          busy={busy}
          onConfirm={() => connect.mutate()}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}
