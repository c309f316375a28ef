import { UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { sharedMessages } from '../../lib/messages.js';
import { UntrustedText } from '../untrusted-text.js';
import classes from './request.module.css';

/** Longer values are folded to their beginning, so that they push no other field off the screen. */
const WHOLE_MAX = 240;
const BEGINNING = 80;

interface Folding {
  isFolded: boolean;
  /** How many characters are shown, if not all. */
  shown: number | undefined;
  open: () => void;
}

/** Whether a value shows only its beginning. A press unfolds it. */
export function useFolding(text: string, expanded = false): Folding {
  const [isOpen, setOpen] = useState(false);
  const isFolded = text.length > WHOLE_MAX && !isOpen && !expanded;
  return { isFolded, shown: isFolded ? beginning(text).length : undefined, open: () => setOpen(true) };
}

/** A value of a request, or its beginning and its length. */
export function LongValue({ text, folding }: { text: string; folding: Folding }) {
  if (!folding.isFolded) return <UntrustedText text={text} />;
  return (
    <>
      <UntrustedText text={beginning(text)} inline />
      <UnstyledButton className={classes.unfold} aria-expanded={false} onClick={folding.open}>
        {sharedMessages.request.characters([...text].length)}
      </UnstyledButton>
    </>
  );
}

/** It splits no surrogate pair. */
const beginning = (text: string): string => text.slice(0, BEGINNING).replace(/[\uD800-\uDBFF]$/, '');
