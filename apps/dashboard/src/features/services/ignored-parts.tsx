import type { DocumentSummary } from '#contracts';
import { Text } from '@mantine/core';
import { UntrustedText } from '../../components/untrusted-text.js';
import { number } from '../../lib/format.js';
import { documentsMessages } from './documents-messages.js';

type Props = { document: Pick<DocumentSummary, 'ignored' | 'ignoredCount'>; opened?: boolean };

/** The parts of a document that are not used, and why. Renders nothing if all parts are used. */
export function IgnoredParts({ document: { ignored, ignoredCount }, opened = false }: Props) {
  if (ignoredCount === 0) return null;
  if (ignoredCount === null) {
    return (
      <Text size="sm" c="dimmed">
        {documentsMessages.ignoredUnknown}
      </Text>
    );
  }
  const more = ignoredCount - ignored.length;
  return (
    <Text component="details" size="sm" open={opened}>
      <summary>{documentsMessages.ignored(ignoredCount)}</summary>
      <ul>
        {ignored.map(({ where, why }, index) => (
          <li key={index}>
            <UntrustedText text={where} inline /> {why}
          </li>
        ))}
        {more > 0 && <li>{documentsMessages.ignoredMore(number(more))}</li>}
      </ul>
    </Text>
  );
}
