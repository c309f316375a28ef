import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from '../CopyButton.js';
import classes from './connect.module.css';
import { messages } from './messages.js';
import { KEY_PLACEHOLDER, snippets, type Snippet } from './snippets.js';

interface Props {
  /** Without it a placeholder stands in the code. */
  agentKey?: string;
  targetUrl: string;
}

/** A first request in the languages that agents are written in. */
export function SnippetTabs({ agentKey = KEY_PLACEHOLDER, targetUrl }: Props) {
  const [key, setKey] = useState<Snippet['key']>('curl');
  const all = snippets({ gateway: location.origin, agentKey, targetUrl });
  const shown = all.find((each) => each.key === key)!;
  return (
    <div className={classes.snippet}>
      <div className={classes.snippetHead}>
        <SegmentedControl
          size="xs"
          aria-label={messages.snippets.label}
          value={key}
          onChange={(value) => setKey(value as Snippet['key'])}
          data={all.map(({ key: value, label }) => ({ value, label }))}
        />
        <CopyButton text={shown.code} />
      </div>
      <pre className={classes.code} tabIndex={0} role="region" aria-label={`${messages.snippets.code}: ${shown.label}`}>
        {shown.code}
      </pre>
      <div className={classes.snippetHint}>{messages.snippets.hints[key]}</div>
    </div>
  );
}
