import { Group, Input } from '@mantine/core';
import { CopyButton } from '../copy-button.js';
import { messages } from './messages.js';

/** The URL that an OAuth provider has to know, to copy. */
export function RedirectUrl() {
  const url = `${window.location.origin}/oauth/callback`;
  return (
    <Input.Wrapper label={messages.redirectUrl} labelElement="div" description={messages.redirectUrlHint}>
      <Group gap="sm" mt={6}>
        <span className="mono anywhere">{url}</span>
        <CopyButton text={url} label={messages.copyRedirectUrl} />
      </Group>
    </Input.Wrapper>
  );
}
