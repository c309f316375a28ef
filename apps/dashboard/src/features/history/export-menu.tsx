import type { AuditFilter } from '#contracts';
import { Button, Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { showDone, showFailure } from '../../lib/toasts.js';
import { downloadExport } from './api.js';
import { messages } from './messages.js';

const text = messages.export;

/** Exports the filtered records as a file. */
export function ExportMenu({ filter }: { filter: AuditFilter }) {
  const download = useMutation({
    mutationFn: (format: 'csv' | 'ndjson') => downloadExport(filter, format),
    onSuccess: () => showDone(text.done),
    onError: showFailure,
  });
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <Button variant="default" loading={download.isPending}>
          {text.label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{text.what}</Menu.Label>
        <Menu.Item onClick={() => download.mutate('csv')}>{text.csv}</Menu.Item>
        <Menu.Item onClick={() => download.mutate('ndjson')}>{text.ndjson}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
