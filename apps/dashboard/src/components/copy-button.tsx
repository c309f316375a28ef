import { Button, type ButtonProps } from '@mantine/core';
import { useState } from 'react';
import { announce } from '../lib/announce.js';
import { copyText } from '../lib/clipboard.js';
import { sharedMessages } from '../lib/messages.js';
import { Icon } from './icon.js';

interface Props extends ButtonProps {
  text: string;
  label?: string;
  onCopied?: () => void;
}

/** Copies the value and confirms it in the button itself. */
export function CopyButton({ text, label = sharedMessages.actions.copy, onCopied, ...props }: Props) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  async function copy() {
    const copied = await copyText(text);
    setState(copied ? 'copied' : 'failed');
    announce(copied ? sharedMessages.actions.copied : sharedMessages.actions.copyFailed);
    if (copied) onCopied?.();
    setTimeout(() => setState('idle'), 2500);
  }
  const shown = { idle: label, copied: sharedMessages.actions.copied, failed: sharedMessages.actions.copyFailed }[
    state
  ];
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<Icon name={state === 'copied' ? 'check' : 'copy'} size={16} />}
      {...props}
      onClick={() => void copy()}
    >
      {shown}
    </Button>
  );
}
