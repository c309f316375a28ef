import { CONDITION_MAX } from '#contracts/limits';
import { Anchor, Box, Stack, Text, Textarea } from '@mantine/core';
import { useId, useRef } from 'react';
import type { KnownNames } from './cel-completion.js';
import { CelOptions, optionId } from './cel-options.js';
import { conditionFieldMessages } from './condition-field-messages.js';
import { placeOf } from './place-of.js';
import { useCelCompletion } from './use-cel-completion.js';

interface Props {
  value: string;
  onChange: (value: string) => void;
  /** `line 1, column 14: …` */
  problem: string | null;
  /** The names of the service that are offered. */
  known: KnownNames;
}

/** A condition in CEL, with a list of what can stand where the person writes. A press on the problem goes to its place. */
export function CelField({ value, onChange, problem, known }: Props) {
  const input = useRef<HTMLTextAreaElement>(null);
  const list = useId();
  const { options, active, take, close, events } = useCelCompletion({ input, value, known, onChange });
  const goTo = (at: number) => {
    input.current?.focus();
    input.current?.setSelectionRange(at, at + 1);
  };
  const isOpen = options.length > 0;
  return (
    <Stack gap={6}>
      <Box pos="relative">
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
          // The open list can cover a part of the problem, so it is a button only when the list is closed.
          error={problem && (isOpen ? problem : <Problem problem={problem} value={value} goTo={goTo} />)}
          // A text field of several lines can't be a combobox. As in code editors, it has a list of options beside it.
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={isOpen ? list : undefined}
          aria-activedescendant={isOpen ? optionId(list, active) : undefined}
          // The first Escape closes the list, and not the dialog.
          data-mantine-stop-propagation={isOpen || undefined}
          onBlur={close}
          {...events}
        />
        {isOpen && <CelOptions id={list} options={options} active={active} take={take} />}
      </Box>
      <span className="visually-hidden" role="status">
        {isOpen && conditionFieldMessages.offered(options.length)}
      </span>
      <Names />
    </Stack>
  );
}

interface ProblemProps {
  problem: string;
  value: string;
  goTo: (at: number) => void;
}

function Problem({ problem, value, goTo }: ProblemProps) {
  const place = placeOf(problem, value);
  if (place === null) return problem;
  return (
    <Anchor component="button" type="button" inherit c="inherit" ta="start" mih={24} onClick={() => goTo(place)}>
      {problem}
    </Anchor>
  );
}

function Names() {
  return (
    <Text component="details" size="sm">
      <summary>{conditionFieldMessages.names}</summary>
      <Stack component="ul" className="plain-list" gap={6} my={4}>
        {conditionFieldMessages.snippets.map(([code, words]) => (
          <li key={code}>
            <span className="mono anywhere" translate="no">
              {code}
            </span>
            <Text span inherit display="block" c="dimmed">
              {words}
            </Text>
          </li>
        ))}
      </Stack>
      <Anchor href="https://cel.dev" target="_blank" rel="noreferrer" size="sm" py={4} display="inline-block">
        {conditionFieldMessages.about}
      </Anchor>
    </Text>
  );
}
