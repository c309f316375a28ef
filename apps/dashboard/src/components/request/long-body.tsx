import { useMemo } from 'react';
import { hexRow, textBlocks } from '../../lib/body.js';
import { UntrustedText } from '../untrusted-text.js';
import { VirtualList } from '../virtual-list.js';
import classes from './request.module.css';

const LINE_WIDTH = 2000;

/** A complete long text. Only the visible lines are rendered. */
export function LongText({ text, isFollowed }: { text: string; isFollowed: boolean }) {
  const lines = useMemo(() => textBlocks(text, 1, LINE_WIDTH), [text]);
  return (
    <VirtualList
      className={classes.tall}
      count={lines.length}
      rowHeight={20}
      itemKey={(index) => index}
      row={(index) => (
        <pre
          className={classes.text}
          {...(isFollowed && { 'data-from': lines[index]!.from, 'data-to': lines[index]!.to })}
        >
          <UntrustedText text={lines[index]!.text || ' '} />
        </pre>
      )}
    />
  );
}

/** Bytes in hex, sixteen per row, eight on a phone. The rows of a long list are not followed, so they count as not seen. */
export function HexView({ bytes, isFollowed }: { bytes: Uint8Array; isFollowed: boolean }) {
  const perRow = matchMedia('(max-width: 640px)').matches ? 8 : 16;
  const rows = Math.ceil(bytes.length / perRow);
  const isLong = rows > 16;
  return (
    <div {...(isFollowed && (isLong ? { 'data-folded': true } : { 'data-part': 't' }))}>
      <VirtualList
        className={isLong ? classes.tall : classes.hexShort}
        count={rows}
        rowHeight={19}
        itemKey={(index) => index}
        row={(index) => (
          <pre className={classes.hex} translate="no">
            {hexRow(bytes, index, perRow)}
          </pre>
        )}
      />
    </div>
  );
}
