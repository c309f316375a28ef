import type { MessageResponse } from '#contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { del } from './http.js';
import { showDone, showFailure } from './toasts.js';

interface Deletion {
  /** The first part of the URL and of the query key. */
  list: 'agents' | 'services';
  id: number;
  /** The text of the toast. */
  done: string;
  /** Other queries whose results change. */
  affected: readonly string[];
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
      queryClient.removeQueries({ queryKey: [list, id] });
      for (const queryKey of [[list], affected]) void queryClient.invalidateQueries({ queryKey });
    },
    onError: showFailure,
  });
}
