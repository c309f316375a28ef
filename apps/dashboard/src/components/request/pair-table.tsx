import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { sharedMessages } from '../../lib/messages.js';
import { UntrustedText } from '../untrusted-text.js';
import classes from './request.module.css';

interface Props {
  pairs: readonly { name: string; value: string; note?: ReactNode }[];
  caption?: string;
}

/** All names and values of a query, form or header list, in their original order. */
export function PairTable({ pairs, caption }: Props) {
  return (
    <table className={classes.pairs}>
      {caption && <caption className="visually-hidden">{caption}</caption>}
      <thead className="visually-hidden">
        <tr>
          <th scope="col">{sharedMessages.request.name}</th>
          <th scope="col">{sharedMessages.request.value}</th>
        </tr>
      </thead>
      <tbody>
        {pairs.map(({ name, value, note }, index) => (
          <tr key={index}>
            <th scope="row">
              <UntrustedText text={name} />
            </th>
            <td>
              <UntrustedText text={value} />
              {note && (
                <Text span size="xs" c="dimmed" ff="text" ms="sm">
                  {note}
                </Text>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
