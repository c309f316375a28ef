import { Code, Group, Paper, Text } from '@mantine/core';
import { CopyButton } from '../../components/copy-button.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { messages } from './messages.js';
import classes from './prompt.module.css';

/** The prompt that the model got, folded. */
export function Prompt({ text }: { text: string }) {
  return (
    <Paper component="details" bd="1px solid var(--agw-line)" bg="transparent">
      <summary className={classes.summary}>{messages.prompt}</summary>
      <Group justify="space-between" wrap="nowrap" px="md" py={2} className={classes.part}>
        <Text c="dimmed" size="sm">
          {messages.promptHint}
        </Text>
        <CopyButton text={text} variant="subtle" />
      </Group>
      <Code
        translate="no"
        block
        tabIndex={0}
        role="region"
        aria-label={messages.prompt}
        mah={360}
        p="md"
        bdrs={0}
        fz="sm"
        className={classes.part}
        style={{ whiteSpace: 'pre-wrap' }}
      >
        <UntrustedText text={text} />
      </Code>
    </Paper>
  );
}
