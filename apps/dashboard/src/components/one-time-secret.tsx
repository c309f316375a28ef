import { Button, TextInput } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { CopyButton } from './copy-button.js';
import { Callout } from './notices.js';
import classes from './one-time-secret.module.css';

interface Props {
  /** The label of the field. */
  label: string;
  value: string;
  /** Says that the secret is shown only once. */
  once: string;
  /** The label of the button that confirms that the secret is stored. */
  storedLabel: string;
  /** Called when the user confirms. The caller must then forget the secret. */
  onStored: () => void;
  /** How to use the secret. */
  children?: ReactNode;
}

/** Shows a full secret once. The user can't leave the page by accident before it is stored. */
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
