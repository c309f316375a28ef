import type { ResumedWorkspace, Workspace } from '#contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { pauseMessages } from './messages.js';
import { post } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone, showFailure } from '../../lib/toasts.js';

const pauseWorkspace = (id: number, reason: string) => post<Workspace>(`/workspaces/${id}/pause`, { reason });
const resumeWorkspace = (id: number) => post<ResumedWorkspace>(`/workspaces/${id}/resume`);

export function usePauseWorkspace(id: number, done: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (reason: string) => pauseWorkspace(id, reason),
    onSuccess: done,
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.workspaces.all }),
  });
}

export function useResumeWorkspace(id: number) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => resumeWorkspace(id),
    onSuccess: ({ name, refusedRequests }) => showDone(pauseMessages.resumed(name, refusedRequests)),
    onError: showFailure,
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.workspaces.all }),
  });
}
