import { Text } from '@mantine/core';
import { readTarget } from '../../lib/request-target.js';
import { UntrustedText } from '../untrusted-text.js';

/**
 * A request in a list. The path comes before the host, because a narrow place cuts the end, and the path says what
 * happened.
 */
export function RequestSummary({ method, targetUrl }: { method: string; targetUrl: string }) {
  const target = readTarget(targetUrl);
  return (
    <Text span size="sm" ff="monospace" translate="no">
      <Text span inherit fw={700} c="var(--agw-accent)">
        {method}
      </Text>{' '}
      <UntrustedText text={target?.path ?? targetUrl} inline />
      {target && (
        <Text span inherit c="dimmed">
          {' '}
          {target.scheme !== 'https' && `${target.scheme}://`}
          {target.host}
        </Text>
      )}
    </Text>
  );
}
