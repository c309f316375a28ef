import { Button, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { SnippetInput } from '../../lib/snippets.js';
import { CopyButton } from '../CopyButton.js';
import { Callout } from '../Notices.js';
import classes from './agent-key.module.css';
import { messages } from './messages.js';
import { SnippetTabs } from './SnippetTabs.js';

interface Props extends SnippetInput {
  /** Called once the user says that the key is stored; the key must be forgotten then. */
  onStored: () => void;
  stored: boolean;
}

/** A new key, in full, this once. The page can't be left by accident before it is stored. */
export function AgentKeyPanel({ onStored, stored, ...input }: Props) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (stored) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [stored]);
  return (
    <div className={classes.panel}>
      {!stored && (
        <>
          <Callout tone="warning">{messages.once}</Callout>
          <div className={classes.keyRow}>
            <TextInput
              label={messages.key}
              value={input.agentKey}
              readOnly
              onFocus={(event) => event.currentTarget.select()}
              classNames={{ input: `mono ${classes.key}` }}
              className={classes.keyField}
            />
            <CopyButton text={input.agentKey} size="sm" variant="filled" onCopied={() => setCopied(true)} />
          </div>
        </>
      )}
      <SnippetTabs {...input} key={String(stored)} />
      {!stored && (
        <Button variant={copied ? 'filled' : 'default'} className={classes.stored} onClick={onStored}>
          {messages.stored}
        </Button>
      )}
    </div>
  );
}
