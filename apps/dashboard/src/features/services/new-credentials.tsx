import type { Service } from '#contracts';
import { Stack, Text } from '@mantine/core';
import { askedCredentials, type AuthDraft } from '../../components/service-form/auth-draft.js';
import { CredentialInputs } from '../../components/service-form/credential-inputs.js';
import type { CredentialRow } from '../../components/service-form/credential-row.js';
import { serviceFormMessages } from '../../components/service-form/messages.js';
import { messages } from './messages.js';

/**
 * The credentials that the changed settings need but that are not stored, with the typed values. OAuth has its own
 * dialog.
 */
export const newCredentials = (service: Service, draft: AuthDraft): CredentialRow[] =>
  draft.way === 'oauth'
    ? []
    : askedCredentials(draft)
        .filter(({ name, optional }) => !optional && !Object.hasOwn(service.credentials, name))
        .map(({ name }) => ({ name, value: draft.secrets[name] ?? '' }));

/**
 * The label of a value that must be typed. Null: no value is missing. The API refuses templates with keys that are not
 * stored, unless the service has no credentials yet.
 */
export function missingValue(service: Service, draft: AuthDraft, rows: readonly CredentialRow[]): string | null {
  const isNeeded = draft.way === 'custom' && Object.keys(service.credentials).length > 0;
  const row = isNeeded ? rows.find(({ value }) => value === '') : undefined;
  return row === undefined ? null : (serviceFormMessages.credentials[row.name] ?? row.name);
}

interface Props {
  rows: readonly CredentialRow[];
  onChange: (secrets: Record<string, string>) => void;
}

/** Asks for the values of keys that are not stored yet. */
export function NewCredentials({ rows, onChange }: Props) {
  if (rows.length === 0) return null;
  return (
    <Stack gap="sm">
      <Text c="dimmed" size="sm">
        {messages.overview.newCredentials}
      </Text>
      <CredentialInputs
        authType="custom"
        rows={rows}
        onChange={(changed) => onChange(Object.fromEntries(changed.map(({ name, value }) => [name, value])))}
      />
    </Stack>
  );
}
