import type { ConnectServiceResponse, Service } from '#contracts';
import { Button, type ButtonProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { post } from '../../lib/http.js';
import { showFailure } from '../../lib/toasts.js';
import { messages } from './messages.js';

/** Leaves for the provider, where a person signs in. The provider leads back to the page of the service. */
export function ConnectButton({ service, ...button }: ButtonProps & { service: Service }) {
  const connect = useMutation({
    mutationFn: () => post<ConnectServiceResponse>(`/services/${service.id}/oauth/connect`, {}),
    onSuccess: ({ url }) => window.location.assign(url),
    onError: showFailure,
  });
  if (service.oauth?.grant !== 'authorization_code') return null;
  const label = service.connection?.state === 'none' ? messages.connection.connect : messages.connection.reconnect;
  return (
    <Button {...button} loading={connect.isPending || connect.isSuccess} onClick={() => connect.mutate()}>
      {label}
    </Button>
  );
}
