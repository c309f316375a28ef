import type { AccessToken, MessageResponse } from '#contracts';
import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { del } from '../../lib/http.js';
import { showDone } from '../../lib/toasts.js';
import { tokensQuery } from './api.js';
import { messages } from './messages.js';

const text = messages.tokens;

/** Asks before it ends a token, because a program may need it and nobody can see the token again. */
export function RevokeToken({ token, close }: { token: AccessToken; close: () => void }) {
  const queryClient = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => del<MessageResponse>(`/auth/tokens/${token.id}`),
    onSuccess: () => {
      showDone(text.revoked(token.name));
      close();
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  return (
    <ConfirmDialog danger title={text.revokeTitle(token.name)} label={text.revokeNow} change={revoke} close={close}>
      <Text>{text.revokeText}</Text>
    </ConfirmDialog>
  );
}
