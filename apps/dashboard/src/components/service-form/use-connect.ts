import type { TestServiceResult } from '#contracts';
import { useMutation } from '@tanstack/react-query';
import { createService, type NewService } from '../../lib/create-service.js';
import { post } from '../../lib/http.js';
import { showFailure } from '../../lib/toasts.js';

/**
 * Creates a service after one real request with its credentials. Nothing is stored if the API rejects them, until the
 * person saves them anyway.
 */
export function useConnect(onCreated: (created: Awaited<ReturnType<typeof createService>>, from: NewService) => void) {
  const create = useMutation({ mutationFn: createService, onSuccess: onCreated, onError: showFailure });
  const test = useMutation({ mutationFn: testNewService, onError: showFailure });
  return {
    busy: create.isPending || test.isPending,
    /** The status of an API that rejected the credentials, until they are changed. */
    rejected: test.data && isRejection(test.data) ? test.data.status : null,
    submit: (service: NewService) => {
      if (!hasSecrets(service)) create.mutate(service);
      // Callbacks of this call do not run after unmount, so a page that was left stores nothing.
      else test.mutate(service, { onSuccess: (result) => !isRejection(result) && create.mutate(service) });
    },
    saveAnyway: () => test.variables && create.mutate(test.variables),
    /** Something of the service has changed. */
    forget: test.reset,
  };
}
export type Connect = ReturnType<typeof useConnect>;

/** OAuth services have no token before somebody connects them. */
const hasSecrets = ({ service }: NewService): boolean =>
  !service.oauth && Object.keys(service.credentials ?? {}).length > 0;

const isRejection = ({ status }: TestServiceResult): boolean => status === 401 || status === 403;

const testNewService = ({ service, testPath }: NewService) =>
  post<TestServiceResult>('/services/test', { service, ...(testPath ? { path: testPath } : {}) });
