import type { Service } from '#contracts';
import { Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FormFoot } from '../../components/form-foot.js';
import { Card, Section } from '../../components/page.js';
import { useNow } from '../../lib/clock.js';
import { day, duration } from '../../lib/format.js';
import { whyMessages } from '../../lib/why-messages.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone } from '../../lib/toasts.js';
import { useMay } from '../../lib/workspace.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { updateService } from './api.js';
import { messages } from './messages.js';

const text = messages.rotation.reminder;
const USUAL_DAYS = [30, 60, 90, 180, 365];

/** After how many days the credentials should be replaced, and when that is. */
export function RotationReminder({ service }: { service: Service }) {
  const may = useMay('admin');
  const { rotateEveryDays, rotationDueAt } = service;
  return (
    <Section title={text.title}>
      <Card>
        {may ? (
          <Reminder service={service} />
        ) : (
          <Group>
            {rotateEveryDays === null ? text.never : text.every(rotateEveryDays)}
            {rotationDueAt !== null && <Due at={rotationDueAt} />}
          </Group>
        )}
      </Card>
    </Section>
  );
}

function Reminder({ service }: { service: Service }) {
  const queryClient = useQueryClient();
  const { rotateEveryDays, rotationDueAt } = service;
  const form = useForm({ initialValues: { days: String(rotateEveryDays ?? '') } });
  const { days } = form.values;
  const next = days === '' ? null : Number(days);
  const why = next === rotateEveryDays ? whyMessages.unchanged : null;
  useUnsaved(why === null);
  const save = useMutation({
    mutationFn: () => updateService(service.id, { rotateEveryDays: next }),
    onSuccess: () => {
      showDone(next === null ? text.removed : text.saved);
      return queryClient.invalidateQueries({ queryKey: queryKeys.services.all });
    },
  });
  const offered = [...new Set([...USUAL_DAYS, ...(rotateEveryDays ? [rotateEveryDays] : [])])].sort((a, b) => a - b);
  return (
    <form
      onSubmit={form.onSubmit(() => {
        if (why === null) save.mutate();
      })}
    >
      <Stack>
        <Text c="dimmed" size="sm">
          {text.lead}
        </Text>
        <Group align="flex-end">
          <NativeSelect
            label={text.label}
            data={[
              { value: '', label: text.never },
              ...offered.map((each) => ({ value: String(each), label: text.every(each) })),
            ]}
            {...form.getInputProps('days')}
          />
          {rotationDueAt !== null && <Due at={rotationDueAt} pb={7} />}
        </Group>
        <FormFoot label={text.save} why={why} save={save} />
      </Stack>
    </form>
  );
}

function Due({ at, pb }: { at: string; pb?: number }) {
  const left = useNow((now) => {
    const seconds = (Date.parse(at) - now) / 1000;
    return seconds > 0 ? text.dueIn(duration(seconds)) : text.overdueFor(duration(-seconds));
  });
  return (
    <Text pb={pb}>
      {text.due} <time dateTime={at}>{day(at)}</time> {left}
    </Text>
  );
}
