import type { CreateDocumentRequest, DocumentSummary } from '#contracts';
import { DOCUMENTATION_BODY_MAX_BYTES, DOCUMENT_TITLE_MAX } from '#contracts/limits';
import { DOCUMENT_TYPES, type DocumentType } from '#contracts/states';
import { Button, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { EDITABLE_MAX, FileDrop } from '../../components/file-drop.js';
import { FormFoot } from '../../components/form-foot.js';
import { Callout } from '../../components/notices.js';
import { Card } from '../../components/page.js';
import { bytes } from '../../lib/format.js';
import { openApiHints } from '../../lib/openapi-hints.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone } from '../../lib/toasts.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { addDocument } from './api.js';
import { guessDocument } from './guess-document.js';
import { documentsMessages } from './documents-messages.js';
import { IgnoredParts } from './ignored-parts.js';

/** Adds a document from a file or the clipboard. The server reports where parsing fails. */
export function AddDocument({ serviceId }: { serviceId: number }) {
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState<CreateDocumentRequest | null>(null);
  useUnsaved(draft !== null && draft.content !== '');
  const [added, setAdded] = useState<DocumentSummary | null>(null);
  const add = useMutation({
    mutationFn: (document: CreateDocumentRequest) => addDocument(serviceId, document),
    onSuccess: (document) => {
      showDone(documentsMessages.added(document.title));
      setAdded(document);
      setDraft(null);
      void queryClient.invalidateQueries({ queryKey: queryKeys.audit.usage });
      return queryClient.invalidateQueries({ queryKey: queryKeys.services.about(serviceId) });
    },
  });
  if (!draft) {
    return (
      <Stack>
        {added !== null && added.ignoredCount !== 0 && (
          <Callout tone="info">
            <IgnoredParts document={added} opened />
          </Callout>
        )}
        <FileDrop
          label={documentsMessages.drop}
          hint={documentsMessages.dropHint(bytes(DOCUMENTATION_BODY_MAX_BYTES))}
          accept=".json,.yaml,.yml,.md,.markdown,.txt"
          maxBytes={DOCUMENTATION_BODY_MAX_BYTES}
          onFile={(name, content) => {
            add.reset();
            const type = guessDocument(name, content);
            const title = (type === 'openapi' && openApiHints(content).name) || name;
            setDraft({ type, title: title.slice(0, DOCUMENT_TITLE_MAX), content });
          }}
        />
        <Button
          variant="subtle"
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          onClick={() => {
            add.reset();
            setDraft({ type: 'openapi', title: '', content: '' });
          }}
        >
          {documentsMessages.paste}
        </Button>
      </Stack>
    );
  }
  const set = (change: Partial<CreateDocumentRequest>) => setDraft({ ...draft, ...change });
  return (
    <Card>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate({ ...draft, title: draft.title.trim() });
        }}
      >
        <Stack>
          <Group gap="sm" align="flex-end">
            <TextInput
              flex="1 1 200px"
              maw={420}
              label={documentsMessages.documentTitle}
              maxLength={DOCUMENT_TITLE_MAX}
              autoFocus
              value={draft.title}
              onChange={(event) => set({ title: event.currentTarget.value })}
            />
            <NativeSelect
              label={documentsMessages.type}
              value={draft.type}
              data={DOCUMENT_TYPES.map((value) => ({ value, label: documentsMessages.types[value] }))}
              onChange={(event) => set({ type: event.currentTarget.value as DocumentType })}
            />
          </Group>
          {draft.content.length > EDITABLE_MAX ? (
            <div>
              {documentsMessages.content}: {bytes(new Blob([draft.content]).size)}
            </div>
          ) : (
            <Textarea
              label={documentsMessages.content}
              classNames={{ input: 'mono' }}
              rows={10}
              resize="vertical"
              spellCheck={false}
              value={draft.content}
              onChange={(event) => set({ content: event.currentTarget.value })}
            />
          )}
          <FormFoot
            label={documentsMessages.addIt}
            why={draft.title.trim() === '' || draft.content === '' ? documentsMessages.incomplete : null}
            save={add}
            cancel={() => setDraft(null)}
          />
        </Stack>
      </form>
    </Card>
  );
}
