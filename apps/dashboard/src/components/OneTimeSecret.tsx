import { Button, TextInput } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { CopyButton } from './CopyButton.js';
import { Callout } from './Notices.js';
import classes from './OneTimeSecret.module.css';

interface Props {
  /** Of the field. */
  label: string;
  value: string;
  /** That it is shown once. */
  once: string;
  /** Of the button with which the user says so. */
  storedLabel: string;
  /** Called once the user says that it is stored; it must be forgotten then. */
  onStored: () => void;
  /** What to do with it. */
  children?: ReactNode;
}

/** A secret, in full, this once. The page can't be left by accident before it is stored. */
export function OneTimeSecret({ label, value, once, storedLabel, onStored, children }: Props) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, []);
  return (
    <div className={classes.panel}>
      <Callout tone="warning">{once}</Callout>
      <div className={classes.row}>
        <TextInput
          label={label}
          value={value}
          readOnly
          onFocus={(event) => event.currentTarget.select()}
          classNames={{ input: `mono ${classes.secret}` }}
          className={classes.field}
        />
        <CopyButton text={value} size="sm" variant="filled" onCopied={() => setCopied(true)} />
      </div>
      {children}
      <Button variant={copied ? 'filled' : 'default'} className={classes.stored} onClick={onStored}>
        {storedLabel}
      </Button>
    </div>
  );
}
