import { Button, Text, type ButtonProps } from '@mantine/core';
import { useId } from 'react';
import classes from './submit-button.module.css';

interface Props extends Omit<ButtonProps, 'disabled' | 'type'> {
  /** Why the form can't be submitted, as a sentence. null if it can be. */
  why: string | null;
  /**
   * For a row with its buttons at the end. The reason is then at the start, so that no button moves when the reason
   * disappears.
   */
  atEnd?: boolean;
}

/** The submit button of a form. While it is disabled, it says why. */
export function SubmitButton({ why, atEnd = false, ...button }: Props) {
  const id = useId();
  return (
    <>
      <Button {...button} type="submit" disabled={why !== null} aria-describedby={why === null ? undefined : id} />
      {why !== null && (
        <Text id={id} span size="sm" c="dimmed" className={classes.why} data-at-end={atEnd || undefined}>
          {why}
        </Text>
      )}
    </>
  );
}
