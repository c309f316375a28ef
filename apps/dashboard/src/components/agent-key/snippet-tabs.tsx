import { Box, Code, Group, Paper, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { snippets, type SnippetInput } from '../../lib/snippets.js';
import { CopyButton } from '../copy-button.js';
import classes from './snippet-tabs.module.css';
import { messages } from './messages.js';

/** Ready-to-run snippets in several languages. */
export function SnippetTabs(input: SnippetInput) {
  const all = snippets(input);
  const [name, setName] = useState(all[0]!.name);
  const shown = all.find((snippet) => snippet.name === name)!;
  return (
    <Paper withBorder className={classes.snippets}>
      <Group justify="space-between" gap="sm" p={6}>
        <Box style={{ overflowX: 'auto' }}>
          <SegmentedControl
            aria-label={messages.language}
            value={name}
            data={all.map((snippet) => ({ value: snippet.name, label: snippet.name }))}
            onChange={setName}
          />
        </Box>
        <CopyButton text={shown.code} />
      </Group>
      <Code block translate="no" tabIndex={0} className={classes.code}>
        {shown.code}
      </Code>
    </Paper>
  );
}
