import type { ImportResult } from '#contracts';
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

/** @param how a dry run, or only what a dry run found, by its digest */
export async function importFile(
  workspaceId: number,
  text: string,
  how: { dryRun: true } | { digest: string },
): Promise<ImportResult> {
  const { data } = await request<ImportResult>({
    method: 'PUT',
    path: `/workspaces/${workspaceId}/import`,
    params: how,
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
