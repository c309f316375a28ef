import type { TestServiceResult } from '#contracts';
import { useMutation } from '@tanstack/react-query';
import { askedRequest } from '../../lib/asked-request.js';
import { createService, type NewService } from '../../lib/create-service.js';
import { post } from '../../lib/http.js';
import { showFailure } from '../../lib/toasts.js';

/**
 * Creates a service after one real request with its credentials. Nothing is stored if the API rejects them, or does not
 * answer, until the person saves it anyway.
 */
export function useConnect(onCreated: (created: Awaited<ReturnType<typeof createService>>, from: NewService) => void) {
  const create = useMutation({ mutationFn: createService, onSuccess: onCreated, onError: showFailure });
  const test = useMutation({ mutationFn: testNewService, onError: showFailure });
  return {
    busy: create.isPending || test.isPending,
    /** The status of an API that rejected the credentials, until they are changed. */
    rejected: test.data && isRejection(test.data) ? test.data.status : null,
    /** Why the API could not be reached, until the service is changed. */
    unreached: test.data && isUnreached(test.data) ? test.data.reason : null,
    /** The request that was sent. */
    asked: test.variables ? askedRequest(test.variables.service.baseUrl, test.variables.testPath) : null,
    submit: (service: NewService) => {
      if (!canTest(service)) create.mutate(service);
      // Callbacks of this call do not run after unmount, so a page that was left stores nothing.
      else test.mutate(service, { onSuccess: (result) => isAnswered(result) && create.mutate(service) });
    },
    saveAnyway: () => test.variables && create.mutate(test.variables),
    /** Something of the service has changed. */
    forget: test.reset,
  };
}
export type Connect = ReturnType<typeof useConnect>;

/** OAuth services have no token before somebody connects them. */
const canTest = ({ service }: NewService): boolean =>
  !service.oauth && (service.authType === 'none' || Object.keys(service.credentials ?? {}).length > 0);

const isRejection = ({ status }: TestServiceResult): boolean => status === 401 || status === 403;
const isUnreached = ({ status }: TestServiceResult): boolean => status === null;
const isAnswered = (result: TestServiceResult): boolean => !isRejection(result) && !isUnreached(result);

const testNewService = ({ service, testPath }: NewService) =>
  post<TestServiceResult>('/services/test', { service, ...(testPath ? { path: testPath } : {}) });
