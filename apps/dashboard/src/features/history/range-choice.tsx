import { Button, Divider, Group, Popover, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { SubmitButton } from '../../components/submit-button.js';
import { dayPresets, rangeWords } from './day-presets.js';
import { RANGES, type HistoryView } from './filters.js';
import { messages } from './messages.js';

const text = messages.range;

interface Props {
  view: HistoryView;
  nowMs: number;
  set: (change: Record<string, string | null>) => void;
}

/** Chooses the last day, week or month, a named day, or a custom range. */
export function RangeChoice({ view, nowMs, set }: Props) {
  const custom = view.range === 'custom';
  const [open, { toggle, close }] = useDisclosure(false);
  const take = (from: string, to: string) => {
    set({ from, to, range: null });
    close();
  };
  return (
    <Group gap="xs">
      <SegmentedControl
        aria-label={text.label}
        value={view.range}
        data={[
          ...RANGES.map((value) => ({ value, label: text[value] })),
          ...(custom ? [{ value: 'custom' as const, label: rangeWords(view.from, view.to, nowMs) }] : []),
        ]}
        onChange={(range) => range !== 'custom' && set({ range: range === '7d' ? null : range, from: null, to: null })}
      />
      <Popover
        opened={open}
        onChange={(wanted) => !wanted && close()}
        position="bottom-end"
        trapFocus
        returnFocus
        withinPortal
      >
        <Popover.Target>
          <Button size="xs" variant="subtle" onClick={toggle}>
            {text.other}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <Stack gap={0} role="group" aria-label={text.days}>
            {dayPresets(nowMs).map(({ label, date, from, to }) => (
              <Button
                key={from}
                size="xs"
                variant={view.from === from && view.to === to ? 'light' : 'subtle'}
                justify="space-between"
                rightSection={
                  <Text span c="dimmed" size="sm">
                    {date}
                  </Text>
                }
                onClick={() => take(from, to)}
              >
                {label}
              </Button>
            ))}
          </Stack>
          <Divider my={10} color="var(--agw-line)" />
          <CustomRange view={view} nowMs={nowMs} take={take} />
        </Popover.Dropdown>
      </Popover>
    </Group>
  );
}

/** A value for `datetime-local`, which supports local time only. */
function local(iso: string): string {
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

interface CustomProps {
  view: HistoryView;
  nowMs: number;
  take: (from: string, to: string) => void;
}

function CustomRange({ view, nowMs, take }: CustomProps) {
  const [from, setFrom] = useState(local(view.from ?? new Date(nowMs - 7 * 86_400_000).toISOString()));
  const [to, setTo] = useState(local(view.to ?? new Date(nowMs).toISOString()));
  const valid = from !== '' && to !== '' && from < to;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (valid) take(new Date(from).toISOString(), new Date(to).toISOString());
      }}
    >
      <Stack gap={10}>
        <TextInput
          size="xs"
          label={text.from}
          type="datetime-local"
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput
          size="xs"
          label={text.to}
          type="datetime-local"
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <SubmitButton size="xs" why={valid ? null : text.why}>
          {text.apply}
        </SubmitButton>
      </Stack>
    </form>
  );
}
