import { Button, Popover, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Choice } from '../../components/Choice.js';
import { day } from '../../lib/format.js';
import { RANGES, type HistoryView } from './filters.js';
import classes from './history.module.css';
import { messages } from './messages.js';

const text = messages.range;

interface Props {
  view: HistoryView;
  nowMs: number;
  set: (change: Record<string, string | null>) => void;
}

/** The last day, week or month, or from one moment to another. */
export function RangeChoice({ view, nowMs, set }: Props) {
  const custom = view.range === 'custom';
  return (
    <div className={classes.ranges}>
      <Choice
        label={text.label}
        value={view.range}
        options={[
          ...RANGES.map((value) => ({ value, label: text[value] })),
          ...(custom ? [{ value: 'custom' as const, label: customLabel(view) }] : []),
        ]}
        onChange={(range) => range !== 'custom' && set({ range: range === '7d' ? null : range, from: null, to: null })}
      />
      <Popover position="bottom-start" trapFocus returnFocus withinPortal>
        <Popover.Target>
          <Button size="xs" variant="subtle">
            {text.custom}…
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <CustomRange view={view} nowMs={nowMs} set={set} />
        </Popover.Dropdown>
      </Popover>
    </div>
  );
}

const customLabel = ({ from, to }: HistoryView): string =>
  `${from ? day(from) : '…'} – ${to ? day(Date.parse(to) - 1) : '…'}`;

/** For `datetime-local`, which knows local time only. */
function local(iso: string): string {
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function CustomRange({ view, nowMs, set }: Props) {
  const [from, setFrom] = useState(local(view.from ?? new Date(nowMs - 7 * 86_400_000).toISOString()));
  const [to, setTo] = useState(local(view.to ?? new Date(nowMs).toISOString()));
  const valid = from !== '' && to !== '' && from < to;
  return (
    <form
      className={classes.custom}
      onSubmit={(event) => {
        event.preventDefault();
        if (valid) set({ from: new Date(from).toISOString(), to: new Date(to).toISOString(), range: null });
      }}
    >
      <TextInput
        label={text.from}
        type="datetime-local"
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
      />
      <TextInput
        label={text.to}
        type="datetime-local"
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      <Button type="submit" disabled={!valid}>
        {messages.range.custom}
      </Button>
    </form>
  );
}
