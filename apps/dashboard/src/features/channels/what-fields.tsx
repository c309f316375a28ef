import { CHANNEL_SERVICES_MAX } from '#contracts/limits';
import { selectableEvents, type ChannelType } from '#contracts/channel-states';
import { RISK_BANDS } from '#contracts/states';
import { Checkbox, MultiSelect, NativeSelect, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { servicesQuery } from '../../lib/queries.js';
import type { ChannelDraft } from './draft.js';
import { messages } from './messages.js';
import { withPresent } from './presets.js';

const text = messages.form;
const RISKS = RISK_BANDS.map(({ from }) => String(from)).reverse();

/** The events of the channel. A Slack app replaces its messages instead of sending decisions. */
export function WhatFields({ form, type }: { form: UseFormReturnType<ChannelDraft>; type: ChannelType }) {
  const { data: services = [] } = useQuery(servicesQuery);
  return (
    <>
      <NativeSelect
        label={text.risk}
        {...form.getInputProps('minRisk')}
        data={withPresent(RISKS, form.values.minRisk).map((value) => ({
          value,
          label: text.riskWords(Number(value)),
        }))}
      />
      {services.length > 1 && (
        <MultiSelect
          label={text.services}
          description={text.servicesHint}
          placeholder={form.values.serviceIds.length === 0 ? text.allServices : undefined}
          searchable
          maxValues={CHANNEL_SERVICES_MAX}
          data={services.map(({ id, name }) => ({ value: String(id), label: name }))}
          {...form.getInputProps('serviceIds')}
        />
      )}
      <Checkbox.Group label={text.events} {...form.getInputProps('events')}>
        <Stack gap="xs">
          {selectableEvents(type)
            .filter((event) => !form.values.isApp || event !== 'approval.decided')
            .map((event) => (
              <Checkbox key={event} value={event} label={messages.events[event]} />
            ))}
        </Stack>
      </Checkbox.Group>
    </>
  );
}
