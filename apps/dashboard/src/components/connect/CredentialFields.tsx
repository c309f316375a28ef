import { CREDENTIALS_MAX, CREDENTIAL_NAME_MAX, CREDENTIAL_VALUE_MAX } from '#contracts/limits';
import type { AuthType } from '#contracts/states';
import { ActionIcon, Button, PasswordInput, TextInput } from '@mantine/core';
import { Icon } from '../Icon.js';
import classes from './connect.module.css';
import { messages } from './messages.js';
import type { CredentialField } from './service-draft.js';

interface Props {
  authType: AuthType;
  credentials: readonly CredentialField[];
  onChange: (credentials: CredentialField[]) => void;
  /** Puts the cursor into the first value. */
  focusFirst?: boolean;
}

const text = messages.service;

/** Exactly the fields that the auth type needs. An API key is one or more headers; the browser is told to remember none of it. */
export function CredentialFields({ authType, credentials, onChange, focusFirst = false }: Props) {
  const set = (index: number, change: Partial<CredentialField>) =>
    onChange(credentials.map((each, at) => (at === index ? { ...each, ...change } : each)));
  const value = (field: CredentialField, index: number, label: string) => (
    <PasswordInput
      label={label}
      aria-label={authType === 'api_key' ? `${label}: ${field.name}` : undefined}
      autoComplete="off"
      data-1p-ignore
      data-lpignore="true"
      spellCheck={false}
      maxLength={CREDENTIAL_VALUE_MAX}
      value={field.value}
      data-autofocus={(focusFirst && index === 0) || undefined}
      onChange={(event) => set(index, { value: event.currentTarget.value })}
    />
  );
  if (authType !== 'api_key') {
    return credentials.map((field, index) => (
      <div key={field.name}>{value(field, index, text.labels[field.name] ?? field.name)}</div>
    ));
  }
  return (
    <>
      {credentials.map((field, index) => (
        <div key={index} className={classes.headerRow}>
          <TextInput
            label={text.header}
            autoComplete="off"
            spellCheck={false}
            maxLength={CREDENTIAL_NAME_MAX}
            value={field.name}
            onChange={(event) => set(index, { name: event.currentTarget.value })}
          />
          {value(field, index, text.value)}
          {credentials.length > 1 && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size={34}
              aria-label={text.removeHeader(field.name)}
              onClick={() => onChange(credentials.filter((_, at) => at !== index))}
            >
              <Icon name="cross" size={16} />
            </ActionIcon>
          )}
        </div>
      ))}
      {credentials.length < CREDENTIALS_MAX && (
        <Button
          variant="subtle"
          size="xs"
          className={classes.start}
          leftSection={<Icon name="plus" size={16} />}
          onClick={() => onChange([...credentials, { name: '', value: '' }])}
        >
          {text.addHeader}
        </Button>
      )}
    </>
  );
}
