import type { CreateWorkspaceRequest, Workspace } from '#contracts';
import { WORKSPACE_NAME_MAX } from '#contracts/limits';
import { Button, Modal, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { FormFoot } from '../../components/form-foot.js';
import { post } from '../../lib/http.js';
import { whyMessages } from '../../lib/why-messages.js';
import { roleMessages } from '../../lib/role-messages.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { workspaceUrl } from '../../lib/workspace-choice.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { messages } from './messages.js';

const text = messages.create;

/** The button that opens the dialog. */
export function CreateWorkspace() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {roleMessages.workspace.create}
      </Button>
      {open && <CreateWorkspaceDialog close={() => setOpen(false)} />}
    </>
  );
}

export function CreateWorkspaceDialog({ close }: { close: () => void }) {
  useReturnFocus();
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: (request: CreateWorkspaceRequest) => post<Workspace>('/workspaces', request),
    onSuccess: ({ id }) => location.assign(workspaceUrl(id)),
  });
  const mayClose = useUnsaved(name !== '' && (create.isIdle || create.isError));
  return (
    <Modal opened onClose={() => mayClose() && close()} title={roleMessages.workspace.create}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') create.mutate({ name: name.trim() });
        }}
      >
        <Stack>
          <TextInput
            data-autofocus
            label={text.name}
            description={text.nameHint}
            maxLength={WORKSPACE_NAME_MAX}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <FormFoot
            atEnd
            label={text.submit}
            why={name.trim() === '' ? whyMessages.name(1) : null}
            save={{ isPending: create.isPending || create.isSuccess, error: create.error }}
            cancel={close}
          />
        </Stack>
      </form>
    </Modal>
  );
}
