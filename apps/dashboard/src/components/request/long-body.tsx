import { useMemo } from 'react';
import { hexRow, textLines } from '../../lib/body.js';
import { UntrustedText } from '../untrusted-text.js';
import { VirtualList } from '../virtual-list.js';
import classes from './request.module.css';

const LINE_WIDTH = 2000;

/** A complete long text. Only the visible lines are rendered. */
export function LongText({ text }: { text: string }) {
  const lines = useMemo(() => textLines(text, LINE_WIDTH), [text]);
  return (
    <VirtualList
      className={classes.tall}
      count={lines.length}
      rowHeight={20}
      itemKey={(index) => index}
      row={(index) => (
        <pre className={classes.text}>
          <UntrustedText text={lines[index] || ' '} />
        </pre>
      )}
    />
  );
}

/** Bytes in hex, sixteen per row, eight on a phone. */
export function HexView({ bytes }: { bytes: Uint8Array }) {
  const perRow = matchMedia('(max-width: 640px)').matches ? 8 : 16;
  const rows = Math.ceil(bytes.length / perRow);
  return (
    <VirtualList
      className={rows > 16 ? classes.tall : classes.hexShort}
      count={rows}
      rowHeight={19}
      itemKey={(index) => index}
      row={(index) => (
        <pre className={classes.hex} translate="no">
          {hexRow(bytes, index, perRow)}
        </pre>
      )}
    />
  );
}
