import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone } from '../../lib/toasts.js';
import { useWorkspace } from '../../lib/workspace.js';
import { channelHere, turnOn } from './device.js';
import { pushMessages } from './messages.js';
import { possibility, type Possibility } from './possibility.js';
import { TestButton } from './test-button.js';

interface Device {
  possibility: Possibility;
  /** The channel of this browser in this workspace; null if there is none. It may have been deleted elsewhere. */
  channelId: number | null;
}

const deviceQuery = (workspaceId: number) =>
  queryOptions({
    queryKey: queryKeys.device.of(workspaceId),
    queryFn: async (): Promise<Device> => ({
      possibility: possibility(),
      channelId: await channelHere(workspaceId),
    }),
    // The person may have changed the permission in another window, and checking it is cheap.
    staleTime: 0,
  });

/** Whether this browser can get notifications, and whether it does. undefined: not known yet. */
export function useDevice(): Device | undefined {
  const workspaceId = useWorkspace()?.id ?? 0;
  const queryClient = useQueryClient();
  useEffect(() => {
    let status: PermissionStatus | undefined;
    const look = () => void queryClient.invalidateQueries({ queryKey: queryKeys.device.all });
    void navigator.permissions?.query({ name: 'notifications' }).then(
      (found) => {
        status = found;
        status.onchange = look;
      },
      () => {},
    );
    return () => {
      if (status) status.onchange = null;
    };
  }, [queryClient]);
  return useQuery({ ...deviceQuery(workspaceId), enabled: workspaceId > 0 }).data;
}

/** Turns notifications on here. The argument says whether the current subscription has ended. */
export function useTurnOn(onDone?: () => void) {
  const workspaceId = useWorkspace()?.id ?? 0;
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (fresh: boolean) => turnOn(workspaceId, fresh),
    onSuccess: (channelId) => {
      showDone(pushMessages.done, <TestButton channelId={channelId} />);
      onDone?.();
    },
    onSettled: () =>
      Promise.all(
        [queryKeys.device.all, queryKeys.channels.all].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      ),
  });
}
