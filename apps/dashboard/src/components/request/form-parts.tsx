import type { ActionPart } from '#contracts';
import { bytes as formatBytes } from '../../lib/format.js';
import { sharedMessages } from '../../lib/messages.js';
import { UntrustedText } from '../untrusted-text.js';
import { PairTable } from './pair-table.js';

/** The fields and files of a form, as the upstream will receive them. */
export default function FormParts({ parts, partId }: { parts: readonly ActionPart[]; partId: string }) {
  const pairs = parts.map(({ name, text, filename, contentType, size }) => ({
    name,
    value: text ?? filename ?? '',
    note: text === undefined && (
      <>
        <UntrustedText text={contentType} inline /> · {formatBytes(size)}
      </>
    ),
  }));
  return <PairTable pairs={pairs} caption={sharedMessages.request.form} partId={partId} />;
}
