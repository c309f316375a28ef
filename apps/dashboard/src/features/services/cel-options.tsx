import { Paper, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { UntrustedText } from '../../components/untrusted-text.js';
import classes from './cel-options.module.css';
import { conditionFieldMessages } from './condition-field-messages.js';

interface Props {
  id: string;
  options: readonly string[];
  active: number;
  take: (option: string) => void;
}

export const optionId = (listId: string, index: number): string => `${listId}-${index}`;

/** What can stand where the person writes. The focus stays in the text field. */
export function CelOptions({ id, options, active, take }: Props) {
  const chosen = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // Newer browsers return a promise, which is no clean-up.
    void chosen.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    // It scrolls, and the keyboard moves in it from the text field.
    <Paper className={classes.list} withBorder shadow="md" tabIndex={0}>
      <ul id={id} role="listbox" aria-label={conditionFieldMessages.options} className="plain-list">
        {options.map((option, index) => (
          <li
            key={option}
            id={optionId(id, index)}
            ref={index === active ? chosen : undefined}
            role="option"
            aria-selected={index === active}
            className={`mono ${classes.option}`}
            translate="no"
            // Before the text field loses the focus.
            onPointerDown={(event) => event.preventDefault()}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(option)}
          >
            <UntrustedText text={option} inline />
          </li>
        ))}
      </ul>
      <Text className={classes.keys} size="xs" c="dimmed" visibleFrom="sm">
        {conditionFieldMessages.keys}
      </Text>
    </Paper>
  );
}
