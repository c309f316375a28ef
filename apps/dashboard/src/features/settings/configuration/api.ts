import type { ConfigurationChange, ImportResult } from '#contracts';
import { request } from '../../../lib/http.js';
import { saveFile } from '../../../lib/save-file.js';
import { messages } from './messages.js';

/** Downloads the configuration of the workspace as YAML. */
export async function downloadConfiguration(workspaceId: number): Promise<void> {
  const path = `/workspaces/${workspaceId}/export`;
  saveFile(await request<Blob>({ path, as: 'blob' }), `agent-gateway-${workspaceId}.yaml`);
}

/** A large import can take longer than other calls. */
const TIMEOUT_MS = 120_000;

export async function importFile(workspaceId: number, text: string, dryRun: boolean): Promise<ImportResult> {
  const { data } = await request<ImportResult>({
    method: 'PUT',
    path: `/workspaces/${workspaceId}/import`,
    params: { dryRun },
    headers: { 'Content-Type': isJson(text) ? 'application/json' : 'application/yaml' },
    body: text,
    timeoutMs: TIMEOUT_MS,
    about: messages.about,
  });
  return data;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether both do the same. Agents go on working, so the number of waiting actions may differ. */
export const isSameDifference = (one: ImportResult, other: ImportResult): boolean =>
  JSON.stringify(withoutWaiting(one)) === JSON.stringify(withoutWaiting(other));

const withoutWaiting = ({ created, changed, deleted }: ImportResult) =>
  [created, changed, deleted].map((changes) =>
    changes.map((change: ConfigurationChange) => ({ ...change, loses: { ...change.loses, waiting: 0 } })),
  );
