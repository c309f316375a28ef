import type { MessageResponse } from '#contracts';
import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { del } from './http.js';
import { queryKeys } from './query-keys.js';
import { showDone, showFailure } from './toasts.js';

interface Deletion {
  /** The first part of the URL, and the name of the keys. */
  list: 'agents' | 'services';
  id: number;
  /** The text of the toast. */
  done: string;
  /** Other queries whose results change. */
  affected: QueryKey;
}

/** Deletes an agent or a service from its own page, and goes to the list. */
export function useDelete({ list, id, done, affected }: Deletion) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => del<MessageResponse>(`/${list}/${id}`),
    onSuccess: async () => {
      showDone(done);
      // First, because the page would load what is removed again, and get a 404.
      await navigate(`/${list}`, { replace: true });
      queryClient.removeQueries({ queryKey: queryKeys[list].about(id) });
      for (const queryKey of [queryKeys[list].all, affected]) void queryClient.invalidateQueries({ queryKey });
    },
    onError: showFailure,
  });
}
