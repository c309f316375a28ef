import { Text } from '@mantine/core';
import { createContext, useContext, type ReactNode } from 'react';

/** What the page says beside values of a request, by their places: `b/to/amount` in the body, `q/amount` in the query. */
export const ValueNotes = createContext<ReadonlyMap<string, string>>(new Map());

/** @param place undefined: the value is not in a request */
export function ValueNote({ place = '' }: { place: string | undefined }) {
  const note = useContext(ValueNotes).get(place);
  return note && <Note>{note}</Note>;
}

export const Note = ({ children }: { children: ReactNode }) => (
  <Text span size="xs" c="dimmed" ff="text" ms="sm">
    {children}
  </Text>
);
