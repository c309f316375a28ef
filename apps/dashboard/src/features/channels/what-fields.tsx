import { CHANNEL_SERVICES_MAX } from '#contracts/limits';
import { hears, PERSONAL_CHANNEL_TYPES, selectableEvents, type ChannelType } from '#contracts/channel-states';
import { RISK_BANDS } from '#contracts/states';
import { Checkbox, MultiSelect, NativeSelect, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { EffectChips } from '../../components/effects/effect-chips.js';
import { servicesQuery } from '../../lib/queries.js';
import { useRole } from '../../lib/workspace.js';
import type { ChannelDraft } from './draft.js';
import { messages } from './messages.js';
import { withPresent } from './presets.js';

const text = messages.form;
const RISKS = RISK_BANDS.map(({ from }) => String(from)).reverse();

/**
 * What the channel is told of. A Slack app replaces its messages instead of sending decisions. A person is not offered the
 * events of higher roles; the channel keeps its choice of them.
 */
export function WhatFields({ form, type }: { form: UseFormReturnType<ChannelDraft>; type: ChannelType }) {
  const { data: services = [] } = useQuery(servicesQuery);
  const role = useRole();
  const isPersonal = PERSONAL_CHANNEL_TYPES.some((each) => each === type);
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
      <EffectChips
        legend={text.effects}
        hint={type === 'webhook' ? text.effectsHint : text.effectsQuietHint}
        value={form.values.effects}
        onChange={(effects) => form.setFieldValue('effects', effects)}
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
            .filter((event) => !isPersonal || (role !== null && hears(role, event)))
            .map((event) => (
              <Checkbox key={event} value={event} label={messages.events[event]} />
            ))}
        </Stack>
      </Checkbox.Group>
    </>
  );
}
