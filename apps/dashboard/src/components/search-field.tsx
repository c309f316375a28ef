import { TextInput } from '@mantine/core';
import { useRef } from 'react';
import { useShortcuts } from '../lib/keyboard.js';
import { messages } from '../lib/messages.js';
import { Icon } from './icon.js';

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  className?: string;
}

/** The search field of a list. `/` focuses it, Escape leaves it. */
export function SearchField({ label, value, onChange, className }: Props) {
  const input = useRef<HTMLInputElement>(null);
  useShortcuts(label, [{ keys: '/', label: messages.shortcuts.filter, run: () => input.current?.focus() }]);
  return (
    <TextInput
      ref={input}
      className={className}
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
