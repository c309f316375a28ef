import { Button, Checkbox, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { CopyButton } from '../CopyButton.js';
import { Callout } from '../Notices.js';
import { Card } from '../Page.js';
import { FirstRequest } from './FirstRequest.js';
import classes from './connect.module.css';
import { messages } from './messages.js';
import { SnippetTabs } from './SnippetTabs.js';

interface Props {
  agent: { id: number; name: string };
  /** In the memory of the component that holds it, and nowhere else. */
  apiKey: string;
  /** When the key was made, by the server's clock. */
  since: string;
  targetUrl: string;
  done: () => void;
  doneLabel?: string;
}

/** An agent key, shown once: copy it, say that it is stored, try it. Until then the page asks before it is left. */
export function KeyPanel({ agent, apiKey, since, targetUrl, done, doneLabel = messages.key.done }: Props) {
  const [stored, setStored] = useState(false);
  useEffect(() => {
    if (stored) return;
    const guard = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', guard);
    return () => window.removeEventListener('beforeunload', guard);
  }, [stored]);
  return (
    <Card>
      <div className={classes.fields}>
        <Callout tone="warning">{messages.key.once}</Callout>
        <div className={classes.keyRow}>
          <TextInput
            className={classes.key}
            classNames={{ input: 'mono' }}
            label={messages.key.label}
            readOnly
            value={apiKey}
            onFocus={(event) => event.currentTarget.select()}
          />
          <CopyButton text={apiKey} label={messages.key.copy} size="sm" variant="filled" />
        </div>
        <h2 className={classes.subtitle}>{messages.key.start}</h2>
        <SnippetTabs agentKey={apiKey} targetUrl={targetUrl} />
        <FirstRequest agentId={agent.id} since={since} />
        <div className={classes.gate}>
          <Checkbox
            label={messages.key.stored}
            checked={stored}
            onChange={(event) => setStored(event.currentTarget.checked)}
          />
          <Button disabled={!stored} onClick={done}>
            {doneLabel}
          </Button>
        </div>
      </div>
    </Card>
  );
}
