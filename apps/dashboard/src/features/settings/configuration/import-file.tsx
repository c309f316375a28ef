import type { ImportResult } from '#contracts';
import { DEFAULT_BODY_MAX_BYTES } from '#contracts/limits';
import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { EDITABLE_MAX, FileDrop } from '../../../components/file-drop.js';
import { SubmitButton } from '../../../components/submit-button.js';
import { bytes } from '../../../lib/format.js';
import { importFile } from './api.js';
import { Difference } from './difference.js';
import { Done } from './done.js';
import { Faults } from './faults-list.js';
import { messages } from './messages.js';

const text = messages.import;

/** Takes a file, shows what it would change, and imports it. */
export function ImportFile({ workspaceId }: { workspaceId: number }) {
  const [content, setContent] = useState('');
  const [done, setDone] = useState<ImportResult | null>(null);
  const check = useMutation({ mutationFn: () => importFile(workspaceId, content, { dryRun: true }) });
  const take = (next: string) => {
    check.reset();
    setContent(next);
  };
  if (done !== null) {
    return (
      <Done
        result={done}
        another={() => {
          take('');
          setDone(null);
        }}
      />
    );
  }
  return (
    <Stack>
      <FileDrop
        label={text.drop}
        hint={text.dropHint(bytes(DEFAULT_BODY_MAX_BYTES))}
        accept=".yaml,.yml,.json"
        maxBytes={DEFAULT_BODY_MAX_BYTES}
        onFile={(_name, file) => take(file.replace(/^\uFEFF/, ''))}
      />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          check.mutate();
        }}
      >
        <Stack>
          {content.length > EDITABLE_MAX ? (
            <div>{text.large(bytes(new Blob([content]).size))}</div>
          ) : (
            <Textarea
              label={text.file}
              classNames={{ input: 'mono' }}
              rows={8}
              resize="vertical"
              spellCheck={false}
              value={content}
              onChange={(event) => take(event.currentTarget.value)}
            />
          )}
          <Group gap="sm">
            <SubmitButton why={content.trim() === '' ? text.empty : null} loading={check.isPending}>
              {text.show}
            </SubmitButton>
            {content !== '' && (
              <Button variant="default" onClick={() => take('')}>
                {text.clear}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      <Faults error={check.error} />
      {check.data && (
        <Difference
          key={check.submittedAt}
          workspaceId={workspaceId}
          content={content}
          found={check.data}
          onDone={setDone}
        />
      )}
    </Stack>
  );
}
