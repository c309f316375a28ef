import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useUnsaved } from '../lib/unsaved.js';
import { CopyButton } from './copy-button.js';
import { Callout } from './notices.js';
import { oneTimeSecretMessages } from './one-time-secret-messages.js';

interface Props {
  /** The label of the field. */
  label: string;
  value: string;
  /** Says that the secret is shown only once. */
  once: string;
  /** The label of the button that confirms that the secret is stored. */
  storedLabel: string;
  /** Called when the user confirms. The caller must then forget the secret. */
  onStored: () => void;
  /** How to use the secret. */
  children?: ReactNode;
}

/** Shows a full secret once. The user can't leave the page by accident before it is stored. */
export function OneTimeSecret({ label, value, once, storedLabel, onStored, children }: Props) {
  const [copied, setCopied] = useState(false);
  useUnsaved(true, oneTimeSecretMessages.leave);
  return (
    <Stack gap={14}>
      <Callout tone="warning">{once}</Callout>
      <Group gap="sm" align="flex-end" wrap="nowrap">
        <TextInput
          flex={1}
          miw={0}
          label={label}
          value={value}
          readOnly
          onFocus={(event) => event.currentTarget.select()}
          classNames={{ input: 'mono' }}
          styles={{ input: { textOverflow: 'ellipsis' } }}
        />
        <CopyButton text={value} size="sm" variant="filled" onCopied={() => setCopied(true)} />
      </Group>
      {children}
      <Button variant={copied ? 'filled' : 'default'} w="fit-content" mih={44} onClick={onStored}>
        {storedLabel}
      </Button>
    </Stack>
  );
}
