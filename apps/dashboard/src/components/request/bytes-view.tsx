import { Anchor, Group, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { fileKind, type FileKind } from '../../lib/file-kind.js';
import { saveBlob } from '../../lib/save-file.js';
import { UntrustedText } from '../untrusted-text.js';
import { bytesMessages } from './bytes-messages.js';
import { HexView, LongText } from './long-body.js';
import { Picture } from './picture.js';
import classes from './request.module.css';

interface Props {
  bytes: Uint8Array<ArrayBuffer>;
  /** The same bytes, if they are a whole body that is no text. Nothing else is opened. */
  base64: string | null;
  contentType: string;
  isFollowed: boolean;
}

/** An image with more could take all the memory of a phone. */
const PIXELS_MAX = 25_000_000;
const PLAIN_LIMIT = 20_000;

/** Bytes in hex. If the reader wants it, an image or a text is opened, without scripts and without the network. */
export default function BytesView({ bytes, base64, contentType, isFollowed }: Props) {
  const file = useMemo(() => (base64 === null ? null : fileKind(bytes, contentType)), [bytes, base64, contentType]);
  const [opened, setOpened] = useState<FileKind | null>(null);
  const isWhole = isFollowed && base64 !== null;
  if (file === null) return <HexView bytes={bytes} isFollowed={isWhole} />;
  const isOpen = opened === file;
  return (
    <div data-folded={(isWhole && !isOpen) || undefined}>
      <Group justify="space-between" gap="0 12px" px="md" pt={4}>
        <Text size="sm">{describe(file)}</Text>
        {file.kind === 'pdf' && (
          <Press
            text={bytesMessages.download}
            onClick={() => saveBlob(new Blob([bytes], { type: 'application/pdf' }), 'body.pdf')}
          />
        )}
        {file.kind !== 'pdf' && isOpenable(file) && (
          <Press
            text={isOpen ? bytesMessages.showHex : bytesMessages.show[file.kind]}
            onClick={() => setOpened(isOpen ? null : file)}
          />
        )}
      </Group>
      {!isOpen && <HexView bytes={bytes} isFollowed={false} />}
      {isOpen && file.kind === 'image' && (
        <Picture source={`data:image/${file.type};base64,${base64}`} isFollowed={isWhole} />
      )}
      {isOpen && file.kind === 'text' && <Decoded text={file.text} isFollowed={isWhole} />}
    </div>
  );
}

const isOpenable = (file: FileKind): boolean =>
  file.kind !== 'image' ||
  (file.size !== null && file.size[0] * file.size[1] > 0 && file.size[0] * file.size[1] <= PIXELS_MAX);

function describe(file: FileKind): string {
  if (file.kind === 'pdf') return bytesMessages.pdf;
  if (file.kind === 'text') return bytesMessages.text(file.charset);
  return isOpenable(file) ? bytesMessages.image(file.type, ...file.size!) : bytesMessages.notOpened;
}

function Press({ text, onClick }: { text: string; onClick: () => void }) {
  return (
    <Anchor component="button" type="button" size="sm" py="xs" onClick={onClick}>
      {text}
    </Anchor>
  );
}

/** Nobody follows the lines of a long text, so it counts as not seen. */
function Decoded({ text, isFollowed }: { text: string; isFollowed: boolean }) {
  if (text.length > PLAIN_LIMIT) return <LongText text={text} isFollowed={false} />;
  return (
    <pre className={classes.text} {...(isFollowed && { 'data-part': 't' })}>
      <UntrustedText text={text} />
    </pre>
  );
}
