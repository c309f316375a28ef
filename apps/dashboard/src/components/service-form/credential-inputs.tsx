import type { AuthType } from '#contracts/states';
import { Group, Input, Stack, TextInput } from '@mantine/core';
import { storedAs } from './auth-draft.js';
import type { CredentialRow } from './credential-row.js';
import { serviceFormMessages } from './messages.js';
import { AddRow, RemoveRow } from './row-buttons.js';
import { Secret } from './secret.js';

/** Texts with line breaks, which a password field would drop. */
const PEM: readonly string[] = ['client_cert', 'client_key'];
const isPem = ({ name }: CredentialRow): boolean => PEM.includes(name);

/** Whether a value can be empty: a user name or a password, if the other one is given. */
export const mayBeEmpty = (authType: AuthType, row: CredentialRow, rows: readonly CredentialRow[]): boolean =>
  authType === 'basic' && !isPem(row) && rows.some((other) => !isPem(other) && other.value !== '');

/**
 * The credentials as the API stores them: `X-API-Key` is stored as `api_key`. Empty values are left out, unless an
 * empty value is valid.
 */
export const rowsToCredentials = (authType: AuthType, rows: readonly CredentialRow[]): Record<string, string> =>
  Object.fromEntries(
    rows
      .filter((row) => row.name.trim() !== '' && (row.value !== '' || mayBeEmpty(authType, row, rows)))
      .map(({ name, value }) => [authType === 'api_key' ? storedAs(name) : name.trim(), value]),
  );

interface Props {
  authType: AuthType;
  rows: readonly CredentialRow[];
  onChange: (rows: CredentialRow[]) => void;
  /** The API rejected them. */
  isRejected?: boolean;
}

/** The fields that an auth type needs. The server never returns the values. */
export function CredentialInputs({ authType, rows, onChange, isRejected }: Props) {
  const set = (index: number, change: Partial<CredentialRow>) =>
    onChange(rows.map((row, each) => (each === index ? { ...row, ...change } : row)));
  if (authType === 'api_key' && rows.some(isPem)) {
    const [pem, headers] = [rows.filter(isPem), rows.filter((row) => !isPem(row))];
    return (
      <Stack gap={10}>
        <CredentialInputs
          authType={authType}
          rows={headers}
          onChange={(changed) => onChange([...changed, ...pem])}
          isRejected={isRejected}
        />
        <CredentialInputs
          authType="custom"
          rows={pem}
          onChange={(changed) => onChange([...headers, ...changed])}
          isRejected={isRejected}
        />
      </Stack>
    );
  }
  if (authType === 'api_key') {
    return (
      <Stack gap={10}>
        {rows.map((row, index) => (
          <Group key={index} gap="sm" align="flex-start">
            <TextInput
              flex="1 1 140px"
              label={serviceFormMessages.header}
              value={row.name}
              onChange={(event) => set(index, { name: event.currentTarget.value })}
              autoComplete="off"
              spellCheck={false}
              classNames={{ input: 'mono' }}
            />
            <Secret
              flex="2 1 200px"
              label={serviceFormMessages.credentials['api_key']!}
              value={row.value}
              onChange={(value) => set(index, { value })}
              authType={authType}
              name={row.name}
              isRejected={isRejected}
            />
            {rows.length > 1 && (
              <RemoveRow
                mt={23}
                label={serviceFormMessages.removeHeader(row.name)}
                remove={() => onChange(rows.filter((_, each) => each !== index))}
              />
            )}
          </Group>
        ))}
        <AddRow label={serviceFormMessages.addHeader} add={() => onChange([...rows, { name: '', value: '' }])} />
      </Stack>
    );
  }
  return (
    <Stack gap={10}>
      {rows.map((row, index) =>
        PEM.includes(row.name) ? (
          <Input.Wrapper key={row.name} id={`pem-${row.name}`} label={serviceFormMessages.credentials[row.name]}>
            <Input
              component="textarea"
              id={`pem-${row.name}`}
              multiline
              rows={4}
              value={row.value}
              onChange={(event) => set(index, { value: event.currentTarget.value })}
              autoComplete="off"
              spellCheck={false}
              classNames={{ input: 'mono' }}
            />
          </Input.Wrapper>
        ) : row.name === 'username' ? (
          <TextInput
            key={row.name}
            label={serviceFormMessages.credentials[row.name]}
            value={row.value}
            onChange={(event) => set(index, { value: event.currentTarget.value })}
            autoComplete="off"
            spellCheck={false}
          />
        ) : (
          <Secret
            key={row.name}
            label={serviceFormMessages.credentials[row.name] ?? row.name}
            value={row.value}
            onChange={(value) => set(index, { value })}
            authType={authType}
            name={row.name}
            isRejected={isRejected}
          />
        ),
      )}
    </Stack>
  );
}
