import type { Service } from '#contracts';
import { Button, Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Callout } from '../../components/Notices.js';
import { CredentialInputs, credentialsOf } from '../../components/service-form/CredentialInputs.js';
import { failure } from '../../lib/http.js';
import { messages as shared } from '../../lib/messages.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { replaceCredentials } from './api.js';
import { ConnectionTest } from './connection-test.js';
import { removedNames, rotationRows } from './credential-headers.js';
import { messages } from './messages.js';
import classes from './services.module.css';

const text = messages.credentials;

/** Replaces all credentials at once: the known names with empty fields, what would be removed, and then a test. */
export function RotateDialog({ service, close }: { service: Service; close: () => void }) {
  useReturnFocus();
  const queryClient = useQueryClient();
  const stored = Object.keys(service.credentials);
  const [rows, setRows] = useState(() => rotationRows(service.authType, stored));
  const next = credentialsOf(service.authType, rows);
  const removed = removedNames(service.authType, stored, next);
  const replace = useMutation({
    mutationFn: () => replaceCredentials(service.id, next),
    onSuccess: () => {
      // What was typed is not kept longer than it is needed.
      setRows([]);
      return queryClient.invalidateQueries({ queryKey: ['services'] });
    },
  });
  const ready =
    Object.keys(next).length > 0 && (service.authType === 'basic' || rows.every(({ value }) => value !== ''));
  const anything = rows.some(({ value }) => value !== '');
  return (
    <Modal opened onClose={close} title={text.dialog(service.name)} size="lg" closeOnClickOutside={!anything}>
      {replace.isSuccess ? (
        <div className={classes.stack}>
          <Callout tone="success">
            <b>{text.replaced}.</b> {text.replacedAt(replace.data.credentialKeys.length)} {text.inForce}
          </Callout>
          <ConnectionTest service={service} runAtOnce />
          <div className={classes.end}>
            <Button onClick={close}>{text.done}</Button>
          </div>
        </div>
      ) : (
        <form
          className={classes.stack}
          onSubmit={(event) => {
            event.preventDefault();
            if (ready) replace.mutate();
          }}
        >
          <div className={classes.dim}>{text.all}</div>
          <CredentialInputs authType={service.authType} rows={rows} onChange={setRows} />
          {removed.length > 0 && anything && <Callout tone="warning">{text.removed(removed.join(', '))}</Callout>}
          <div role="alert">{replace.isError && <Callout tone="danger">{failure(replace.error).message}</Callout>}</div>
          <div className={classes.end}>
            <Button variant="default" onClick={close}>
              {shared.actions.cancel}
            </Button>
            <Button type="submit" disabled={!ready} loading={replace.isPending}>
              {text.replace}
            </Button>
          </div>
        </form>
      )}
    </Modal>
  );
}
