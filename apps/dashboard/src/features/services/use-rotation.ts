import { findTestPath } from '#catalogue';
import type { Service, TestServiceResult } from '#contracts';
import { CREDENTIAL_GRACE_HOURS } from '#contracts/limits';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { mayBeEmpty, rowsToCredentials } from '../../components/service-form/credential-inputs.js';
import type { CredentialRow } from '../../components/service-form/credential-row.js';
import { askedRequest } from '../../lib/asked-request.js';
import { whyMessages } from '../../lib/why-messages.js';
import { serviceUsageQuery } from '../../lib/queries.js';
import { queryKeys } from '../../lib/query-keys.js';
import { replaceCredentials, testCredentials, testService } from './api.js';
import { testTone } from './connection-test.js';
import { removedNames, rotationRows } from './credential-headers.js';
import { credentialsMessages } from './credentials-messages.js';

/** What a person types in the dialog, its test, and its replacement. */
export function useRotation(service: Service) {
  const [rows, setRows] = useState(() => rotationRows(service));
  const [path, setPath] = useState(findTestPath(service.baseUrl) ?? '');
  const [graceHours, setGraceHours] = useState(CREDENTIAL_GRACE_HOURS);
  const next = rowsToCredentials(service.authType, rows);
  const replace = useReplacement(service, next, graceHours, path, () => setRows([]));
  const test = useMutation({ mutationFn: (asked: string) => testCredentials(service.id, next, asked) });
  const badPath = path !== '' && !path.startsWith('/');
  const complete =
    Object.keys(next).length > 0 && rows.every((row) => row.value !== '' || mayBeEmpty(service.authType, row, rows));
  const why = !complete ? credentialsMessages.incomplete(service.authType) : badPath ? whyMessages.marked : null;
  const busy = test.isPending || replace.isPending;
  return {
    rows,
    changeRows: (changed: CredentialRow[]) => {
      setRows(changed);
      test.reset();
    },
    path,
    setPath,
    badPath,
    graceHours,
    setGraceHours,
    removed: removedNames(service.authType, Object.keys(service.credentials), next),
    anything: rows.some(({ value }) => value !== ''),
    replace,
    test,
    busy,
    /** Why the credentials can't be saved yet. */
    why,
    /** The request of the latest test. */
    asked: test.variables === undefined ? null : askedRequest(service.baseUrl, test.variables),
    /** The result of a test that was no success. */
    doubtful: test.data && testTone(test.data) !== 'success' ? test.data : null,
    testAndSave: () => {
      if (why !== null || busy) return;
      // Callbacks of this call do not run after unmount, so a closed dialog stores nothing.
      test.mutate(path, { onSuccess: (result) => testTone(result) === 'success' && replace.mutate(result) });
    },
  };
}
export type Rotation = ReturnType<typeof useRotation>;

function useReplacement(
  service: Service,
  next: Record<string, string>,
  graceHours: number,
  path: string,
  forget: () => void,
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (tested: TestServiceResult | null) => {
      const replaced = await replaceCredentials(service.id, next, graceHours);
      // The gateway remembers a rejection only of stored credentials, so that their chip says it.
      if (tested === null) await testService(service, path).catch(() => null);
      return replaced;
    },
    onSuccess: () => {
      // Forget the typed credentials as soon as possible.
      forget();
      // Rejections of the old credentials no longer count.
      void queryClient.invalidateQueries({ queryKey: serviceUsageQuery.queryKey });
      return queryClient.invalidateQueries({ queryKey: queryKeys.services.all });
    },
  });
}
