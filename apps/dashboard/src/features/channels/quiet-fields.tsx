import { Autocomplete, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ChannelDraft } from './draft.js';
import { messages } from './messages.js';

const text = messages.form;
const ZONES = Intl.supportedValuesOf('timeZone');
const SHOWN_MAX = 30;

/** When the channel is quiet, by the clocks of a time zone. */
export function QuietFields({ form }: { form: UseFormReturnType<ChannelDraft> }) {
  return (
    <Stack gap="sm">
      <Switch
        label={text.quiet}
        description={text.quietHint}
        {...form.getInputProps('isQuiet', { type: 'checkbox' })}
      />
      {form.values.isQuiet && (
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <TextInput type="time" label={text.from} {...form.getInputProps('from')} />
          <TextInput type="time" label={text.to} {...form.getInputProps('to')} />
          <Autocomplete label={text.timeZone} limit={SHOWN_MAX} data={ZONES} {...form.getInputProps('timeZone')} />
        </SimpleGrid>
      )}
    </Stack>
  );
}
