import { Button, type ButtonProps } from '@mantine/core';
import { useId } from 'react';
import classes from './SubmitButton.module.css';

interface Props extends Omit<ButtonProps, 'disabled' | 'type'> {
  /** What is missing, in a sentence; null when nothing is. */
  why: string | null;
  /** For a row whose buttons stand at its end: the reason stands at its start, so that no button moves when it goes. */
  atEnd?: boolean;
}

/** The button that sends a form. As long as it can't be pressed, it says why. */
export function SubmitButton({ why, atEnd = false, ...button }: Props) {
  const id = useId();
  return (
    <>
      <Button {...button} type="submit" disabled={why !== null} aria-describedby={why === null ? undefined : id} />
      {why !== null && (
        <span id={id} className={classes.why} data-at-end={atEnd || undefined}>
          {why}
        </span>
      )}
    </>
  );
}
