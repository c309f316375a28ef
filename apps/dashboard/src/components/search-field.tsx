import { TextInput, type BoxProps } from '@mantine/core';
import { useRef } from 'react';
import { useShortcuts } from '../lib/keyboard.js';
import { sharedMessages } from '../lib/messages.js';
import { Icon } from './icon.js';

interface Props extends BoxProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** The search field of a list. `/` focuses it, Escape leaves it. */
export function SearchField({ label, value, onChange, ...box }: Props) {
  const input = useRef<HTMLInputElement>(null);
  useShortcuts(label, [{ keys: '/', label: sharedMessages.shortcuts.filter, run: () => input.current?.focus() }]);
  return (
    <TextInput
      {...box}
      ref={input}
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" size={16} />}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
    />
  );
}
