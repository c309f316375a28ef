import type { AuthType } from '#contracts/states';
import { Box, Button, Group, PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { Callout } from '../notices.js';
import { doubtfulPrefix } from './credential-prefix.js';
import { serviceFormMessages } from './messages.js';

interface SecretProps {
  label: string;
  value: string;
  /** A description of the value. */
  description?: string;
  onChange: (value: string) => void;
  authType: AuthType;
  /** The name of the credential. For `api_key` it is the header name. */
  name: string;
  flex?: string;
  /** The API rejected it. */
  isRejected?: boolean;
}

const SENDS_BEARER: readonly AuthType[] = ['bearer', 'oauth2'];

/** A secret to type or paste. `new-password` keeps browsers from filling in or saving API credentials. */
export function Secret({ label, value, description, onChange, authType, name, flex, isRejected }: SecretProps) {
  const [keptPrefix, setKeptPrefix] = useState('');
  const prefix = doubtfulPrefix(authType, name, value);
  return (
    <Box flex={flex}>
      <PasswordInput
        label={label}
        value={value}
        description={description}
        onChange={(event) => onChange(event.currentTarget.value)}
        autoComplete="new-password"
        spellCheck={false}
        error={isRejected ? serviceFormMessages.rejectedField : undefined}
      />
      <div role="status">
        {prefix !== '' && prefix !== keptPrefix && (
          <Callout tone="warning">
            {serviceFormMessages.prefixed(
              prefix,
              SENDS_BEARER.includes(authType) ? serviceFormMessages.prefixDoubled : serviceFormMessages.prefixSent,
            )}
            <Group gap="sm" mt="sm">
              <Button size="xs" onClick={() => onChange(value.slice(prefix.length))}>
                {serviceFormMessages.removePrefix(prefix)}
              </Button>
              <Button size="xs" variant="default" onClick={() => setKeptPrefix(prefix)}>
                {serviceFormMessages.keepPrefix}
              </Button>
            </Group>
          </Callout>
        )}
      </div>
    </Box>
  );
}
