import { findTestPath } from '#catalogue';
import type { Service, TestServiceResult } from '#contracts';
import { CREDENTIAL_GRACE_HOURS } from '#contracts/limits';
import { Fieldset, Input, Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Callout } from '../../components/notices.js';
import { CredentialInputs, mayBeEmpty, rowsToCredentials } from '../../components/service-form/credential-inputs.js';
import { failure } from '../../lib/http.js';
import { sharedMessages } from '../../lib/messages.js';
import { serviceUsageQuery } from '../../lib/queries.js';
import { queryKeys } from '../../lib/query-keys.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { replaceCredentials, testCredentials } from './api.js';
import { testTone } from './connection-test.js';
import { removedNames, rotationRows } from './credential-headers.js';
import { CredentialsReplaced } from './credentials-replaced.js';
import { messages } from './messages.js';
import { credentialsMessages } from './credentials-messages.js';
import { RotateButtons } from './rotate-buttons.js';
import { RotationImpact } from './rotation-impact.js';
import { verdictOn } from './rotation-verdict.js';

const grace = messages.rotation.grace;

/** Replaces all credentials together. It tests the new ones first. If the API rejects them, the user decides. */
export function RotateDialog({ service, close }: { service: Service; close: () => void }) {
  useReturnFocus();
  const queryClient = useQueryClient();
  const stored = Object.keys(service.credentials);
  const [rows, setRows] = useState(() => rotationRows(service));
  const [path, setPath] = useState(findTestPath(service.baseUrl) ?? '');
  const [graceHours, setGraceHours] = useState(CREDENTIAL_GRACE_HOURS);
  const next = rowsToCredentials(service.authType, rows);
  const removed = removedNames(service.authType, stored, next);
  const replace = useMutation({
    mutationFn: (_tested: TestServiceResult | null) => replaceCredentials(service.id, next, graceHours),
    onSuccess: () => {
      // Forget the typed credentials as soon as possible.
      setRows([]);
      // Rejections of the old credentials no longer count.
      void queryClient.invalidateQueries({ queryKey: serviceUsageQuery.queryKey });
      return queryClient.invalidateQueries({ queryKey: queryKeys.services.all });
    },
  });
  const test = useMutation({ mutationFn: () => testCredentials(service.id, next, path) });
  // Callbacks of this call do not run after unmount, so a closed dialog stores nothing.
  const testAndSave = () =>
    test.mutate(undefined, { onSuccess: (result) => testTone(result) === 'success' && replace.mutate(result) });
  const badPath = path !== '' && !path.startsWith('/');
  const complete =
    Object.keys(next).length > 0 && rows.every((row) => row.value !== '' || mayBeEmpty(service.authType, row, rows));
  const why = !complete ? credentialsMessages.incomplete(service.authType) : badPath ? sharedMessages.why.marked : null;
  const anything = rows.some(({ value }) => value !== '');
  const busy = test.isPending || replace.isPending;
  const doubtful = test.data && testTone(test.data) !== 'success' ? test.data : null;
  return (
    <Modal
      opened
      onClose={close}
      title={credentialsMessages.dialog(service.name)}
      size="lg"
      closeOnClickOutside={!anything}
    >
      {replace.isSuccess ? (
        <CredentialsReplaced
          count={replace.data.credentialKeys.length}
          missing={replace.data.missingCredentials}
          tested={replace.variables}
          replaced={stored.length > 0}
          keptUntil={service.previousCredentials?.expiresAt ?? null}
          close={close}
        />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (why === null && !busy) testAndSave();
          }}
        >
          <Stack>
            {stored.length > 0 && <RotationImpact service={service} />}
            <Text c="dimmed" size="sm">
              {service.oauth
                ? credentialsMessages.newSecret[service.oauth.grant]
                : `${credentialsMessages.all} ${credentialsMessages.needs(service.authType)}`}
            </Text>
            {/* The fields are locked during the test, so that the tested values are saved. */}
            <Fieldset disabled={busy}>
              <Stack>
                <CredentialInputs
                  authType={service.authType}
                  rows={rows}
                  onChange={(changed) => {
                    setRows(changed);
                    test.reset();
                  }}
                />
                {service.oauth?.grant !== 'authorization_code' && (
                  <TextInput
                    label={credentialsMessages.testPath}
                    description={credentialsMessages.testPathHint}
                    placeholder={messages.test.pathPlaceholder}
                    classNames={{ input: 'mono' }}
                    autoComplete="off"
                    spellCheck={false}
                    value={path}
                    error={badPath ? messages.test.badPath : undefined}
                    onChange={(event) => setPath(event.currentTarget.value)}
                  />
                )}
                {stored.length > 0 && <GraceChoice hours={graceHours} onChange={setGraceHours} />}
              </Stack>
            </Fieldset>
            {removed.length > 0 && anything && (
              <Callout tone="warning">{credentialsMessages.removed(removed.join(', '))}</Callout>
            )}
            <div role="alert">
              {test.isError && <Callout tone="danger">{failure(test.error).message}</Callout>}
              {replace.isError && <Callout tone="danger">{failure(replace.error).message}</Callout>}
              {doubtful && (
                <Callout tone={testTone(doubtful)}>
                  {verdictOn(doubtful)}{' '}
                  {stored.length > 0 ? credentialsMessages.nothingStored : credentialsMessages.nothingStoredNew}
                </Callout>
              )}
            </div>
            <RotateButtons
              doubtful={doubtful !== null}
              replacing={stored.length > 0}
              why={why}
              testing={test.isPending}
              busy={busy}
              saveAnyway={() => replace.mutate(null)}
              close={close}
            />
          </Stack>
        </form>
      )}
    </Modal>
  );
}

/** How long the old credentials are kept. */
function GraceChoice({ hours, onChange }: { hours: number; onChange: (hours: number) => void }) {
  return (
    <Input.Wrapper label={grace.label} labelElement="div" description={grace.hint}>
      <div>
        <SegmentedControl
          aria-label={grace.label}
          value={String(hours)}
          data={Object.entries(grace.hours).map(([value, label]) => ({ value, label }))}
          onChange={(value) => onChange(Number(value))}
        />
      </div>
    </Input.Wrapper>
  );
}
