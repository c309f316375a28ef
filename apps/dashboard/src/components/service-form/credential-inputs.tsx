import type { AuthType } from '#contracts/states';
import { REQUIRED_CREDENTIALS } from '#contracts/states';
import { ActionIcon, Box, Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../icon.js';
import { Callout } from '../notices.js';
import { doubtfulPrefix } from './credential-prefix.js';
import { messages } from './messages.js';

/** Names and values as typed. For `api_key` the names are header names. For other types the names are fixed. */
export interface CredentialRow {
  name: string;
  value: string;
}

/** The initial rows of an auth type. */
export const emptyRows = (authType: AuthType): CredentialRow[] =>
  authType === 'api_key'
    ? [{ name: messages.headerDefault, value: '' }]
    : REQUIRED_CREDENTIALS[authType].map((name) => ({ name, value: '' }));

/** The credentials as the API stores them: `X-API-Key` is stored as `api_key`. Empty values are left out. */
export const credentialsOf = (authType: AuthType, rows: readonly CredentialRow[]): Record<string, string> =>
  Object.fromEntries(
    rows
      .filter(({ name, value }) => name.trim() !== '' && value !== '')
      .map(({ name, value }) => [
        authType === 'api_key' && name.trim().toLowerCase() === 'x-api-key' ? 'api_key' : name.trim(),
        value,
      ]),
  );

interface Props {
  authType: AuthType;
  rows: readonly CredentialRow[];
  onChange: (rows: CredentialRow[]) => void;
  hint?: string;
}

/** The fields that an auth type needs. The server never returns the values. */
export function CredentialInputs({ authType, rows, onChange, hint }: Props) {
  const set = (index: number, change: Partial<CredentialRow>) =>
    onChange(rows.map((row, each) => (each === index ? { ...row, ...change } : row)));
  if (authType === 'api_key') {
    return (
      <Stack gap={10}>
        {rows.map((row, index) => (
          <Group key={index} gap="sm" align="flex-start">
            <TextInput
              flex="1 1 140px"
              label={messages.header}
              value={row.name}
              onChange={(event) => set(index, { name: event.currentTarget.value })}
              autoComplete="off"
              spellCheck={false}
              classNames={{ input: 'mono' }}
            />
            <Secret
              flex="2 1 200px"
              label={messages.credentials['api_key']!}
              value={row.value}
              placeholder={hint}
              onChange={(value) => set(index, { value })}
              authType={authType}
              name={row.name}
            />
            {rows.length > 1 && (
              <ActionIcon
                variant="subtle"
                size={36}
                mt={23}
                aria-label={messages.removeHeader(row.name)}
                onClick={() => onChange(rows.filter((_, each) => each !== index))}
              >
                <Icon name="cross" size={16} />
              </ActionIcon>
            )}
          </Group>
        ))}
        <Button
          variant="subtle"
          size="xs"
          w="fit-content"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => onChange([...rows, { name: '', value: '' }])}
        >
          {messages.addHeader}
        </Button>
      </Stack>
    );
  }
  return (
    <Stack gap={10}>
      {rows.map((row, index) =>
        row.name === 'username' ? (
          <TextInput
            key={row.name}
            label={messages.credentials[row.name]}
            value={row.value}
            onChange={(event) => set(index, { value: event.currentTarget.value })}
            autoComplete="off"
            spellCheck={false}
          />
        ) : (
          <Secret
            key={row.name}
            label={messages.credentials[row.name] ?? row.name}
            value={row.value}
            placeholder={hint}
            onChange={(value) => set(index, { value })}
            authType={authType}
            name={row.name}
          />
        ),
      )}
    </Stack>
  );
}

interface SecretProps {
  label: string;
  value: string;
  placeholder?: string;
  onChange: (value: string) => void;
  authType: AuthType;
  /** The name of the credential. For `api_key` it is the header name. */
  name: string;
  flex?: string;
}

/** `new-password` keeps browsers from filling in or saving API credentials. */
function Secret({ label, value, placeholder, onChange, authType, name, flex }: SecretProps) {
  const [keptPrefix, setKeptPrefix] = useState('');
  const prefix = doubtfulPrefix(authType, name, value);
  return (
    <Box flex={flex}>
      <PasswordInput
        label={label}
        value={value}
        placeholder={placeholder}
        onChange={(event) => onChange(event.currentTarget.value)}
        autoComplete="new-password"
        spellCheck={false}
      />
      <div role="status">
        {prefix !== '' && prefix !== keptPrefix && (
          <Callout tone="warning">
            {messages.prefixed(prefix, authType === 'api_key' ? messages.prefixSent : messages.prefixDoubled)}
            <Group gap="sm" mt="sm">
              <Button size="xs" onClick={() => onChange(value.slice(prefix.length))}>
                {messages.removePrefix(prefix)}
              </Button>
              <Button size="xs" variant="default" onClick={() => setKeptPrefix(prefix)}>
                {messages.keepPrefix}
              </Button>
            </Group>
          </Callout>
        )}
      </div>
    </Box>
  );
}
