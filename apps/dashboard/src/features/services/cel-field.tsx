import { CONDITION_MAX } from '#contracts/limits';
import { Anchor, Stack, Text, Textarea } from '@mantine/core';
import { useRef } from 'react';
import { conditionFieldMessages } from './condition-field-messages.js';
import { placeOf } from './place-of.js';

interface Props {
  value: string;
  onChange: (value: string) => void;
  /** `line 1, column 14: …` */
  problem: string | null;
}

/** A condition in CEL. A press on the problem goes to its place. */
export function CelField({ value, onChange, problem }: Props) {
  const input = useRef<HTMLTextAreaElement>(null);
  const place = problem === null ? null : placeOf(problem, value);
  const goTo = (at: number) => {
    input.current?.focus();
    input.current?.setSelectionRange(at, at + 1);
  };
  return (
    <Stack gap="xs">
      <Textarea
        ref={input}
        label={conditionFieldMessages.cel}
        description={conditionFieldMessages.celHint}
        classNames={{ input: 'mono' }}
        maxLength={CONDITION_MAX}
        autosize
        minRows={2}
        maxRows={10}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={
          problem &&
          (place === null ? (
            problem
          ) : (
            <Anchor component="button" type="button" inherit c="inherit" ta="start" onClick={() => goTo(place)}>
              {problem}
            </Anchor>
          ))
        }
      />
      <Text component="details" size="sm">
        <summary>{conditionFieldMessages.names}</summary>
        <ul className="plain-list">
          {conditionFieldMessages.snippets.map(([code, words]) => (
            <li key={code}>
              <span className="mono anywhere" translate="no">
                {code}
              </span>{' '}
              <Text span inherit c="dimmed">
                {words}
              </Text>
            </li>
          ))}
        </ul>
        <Anchor href="https://cel.dev" target="_blank" rel="noreferrer" size="sm">
          {conditionFieldMessages.about}
        </Anchor>
      </Text>
    </Stack>
  );
}
