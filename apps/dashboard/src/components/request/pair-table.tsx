import { UnstyledButton } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { below } from '../../lib/json-pointer.js';
import { sharedMessages } from '../../lib/messages.js';
import { UntrustedText } from '../untrusted-text.js';
import { Decoded } from './decoded.js';
import { LongValue, useFolding } from './long-value.js';
import classes from './request.module.css';
import { Note, ValueNote } from './value-note.js';

interface Pair {
  name: string;
  value: string;
  note?: ReactNode;
}

interface Props {
  pairs: readonly Pair[];
  caption?: string;
  /** The id of the query or the body, if the page follows what was on the screen. */
  partId?: string;
}

/** A phone renders this many rows at once. "More" adds as many. */
const PAGE = 200;

/** The names and values of a query, form or header list, in their original order. */
export function PairTable({ pairs, caption, partId }: Props) {
  const [limit, setLimit] = useState(PAGE);
  return (
    <>
      <table className={classes.pairs}>
        {caption && <caption className="visually-hidden">{caption}</caption>}
        <thead className="visually-hidden">
          <tr>
            <th scope="col">{sharedMessages.request.name}</th>
            <th scope="col">{sharedMessages.request.value}</th>
          </tr>
        </thead>
        <tbody>
          {pairs.slice(0, limit).map((pair, index) => (
            <Row
              key={index}
              pair={pair}
              among={pairs}
              partId={partId && `${partId}.${index}`}
              place={partId && below(partId, pair.name)}
            />
          ))}
        </tbody>
      </table>
      {pairs.length > limit && (
        <UnstyledButton
          fz="inherit"
          c="var(--mantine-color-anchor)"
          px="md"
          py="xs"
          data-folded={partId !== undefined || undefined}
          onClick={() => setLimit(limit + PAGE)}
        >
          {sharedMessages.request.moreMembers(pairs.length - limit, false)}
        </UnstyledButton>
      )}
    </>
  );
}

interface RowProps {
  pair: Pair;
  among: object;
  partId: string | undefined;
  place: string | undefined;
}

function Row({ pair: { name, value, note }, among, partId, place }: RowProps) {
  const folding = useFolding(value);
  return (
    <tr key={String(folding.isFolded)} data-part={partId} data-shown={folding.shown}>
      <th scope="row">
        <UntrustedText text={name} />
      </th>
      <td>
        <LongValue text={value} folding={folding} />
        <ValueNote place={place} />
        {note && <Note>{note}</Note>}
        <Decoded text={value} among={among} partId={partId} />
      </td>
    </tr>
  );
}
