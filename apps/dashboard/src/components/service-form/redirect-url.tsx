import { Group, Input } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { setupStateQuery } from '../../lib/queries.js';
import { CopyButton } from '../copy-button.js';
import { Callout } from '../notices.js';
import { serviceFormMessages } from './messages.js';

/**
 * The redirect URL, for an OAuth provider, with a button to copy it. Providers compare it character by character, so
 * the gateway supplies it.
 */
export function RedirectUrl() {
  const { data: setup } = useQuery(setupStateQuery);
  if (!setup) return null;
  if (setup.publicUrl === null) return <Callout tone="warning">{serviceFormMessages.noPublicUrl}</Callout>;
  const url = `${setup.publicUrl}/oauth/callback`;
  return (
    <Input.Wrapper
      label={serviceFormMessages.redirectUrl}
      labelElement="div"
      description={serviceFormMessages.redirectUrlHint}
    >
      <Group gap="sm" mt={6}>
        <span className="mono anywhere" translate="no">
          {url}
        </span>
        <CopyButton text={url} label={serviceFormMessages.copyRedirectUrl} />
      </Group>
    </Input.Wrapper>
  );
}
