import { useState } from 'react';
import { snippets, type SnippetInput } from '../../lib/snippets.js';
import { Choice } from '../choice.js';
import { CopyButton } from '../copy-button.js';
import classes from './agent-key.module.css';
import { messages } from './messages.js';

/** Ready-to-run snippets in several languages. */
export function SnippetTabs(input: SnippetInput) {
  const all = snippets(input);
  const [name, setName] = useState(all[0]!.name);
  const shown = all.find((snippet) => snippet.name === name)!;
  return (
    <div className={classes.snippets}>
      <div className={classes.snippetHead}>
        <Choice
          label={messages.language}
          value={name}
          options={all.map((snippet) => ({ value: snippet.name, label: snippet.name }))}
          onChange={setName}
        />
        <CopyButton text={shown.code} />
      </div>
      <pre className={classes.code} tabIndex={0}>
        {shown.code}
      </pre>
    </div>
  );
}
