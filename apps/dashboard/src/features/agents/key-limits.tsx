import type { Agent, UpdateAgentRequest } from '#contracts';
import { AGENT_ADDRESSES_MAX } from '#contracts/limits';
import { NativeSelect, Stack, TagsInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { EditableSection } from '../../components/editable-section.js';
import { FormFoot } from '../../components/form-foot.js';
import { Callout } from '../../components/notices.js';
import { Terms } from '../../components/terms.js';
import { Moment } from '../../components/time.js';
import { useNow } from '../../lib/clock.js';
import { dateTime } from '../../lib/format.js';
import { whyMessages } from '../../lib/why-messages.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone } from '../../lib/toasts.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { updateAgent } from './api.js';
import { messages } from './messages.js';

const text = messages.key.limits;
const DAY_MS = 86_400_000;
const USUAL_DAYS = [30, 90, 180, 365];

/** When the keys of an agent expire, and the client addresses that they may come from. */
export function KeyLimits({ agent }: { agent: Agent }) {
  const { keyExpiresAt, addresses } = agent;
  return (
    <EditableSection
      title={text.title}
      editLabel={text.edit}
      form={(close) => <LimitsForm agent={agent} close={close} />}
    >
      <Terms
        items={[
          [text.expires, keyExpiresAt === null ? text.never : <Moment at={keyExpiresAt} />],
          [
            text.from,
            addresses.length === 0 ? (
              text.anywhere
            ) : (
              <span className="mono" translate="no">
                {addresses.join(', ')}
              </span>
            ),
          ],
        ]}
      />
    </EditableSection>
  );
}

function LimitsForm({ agent, close }: { agent: Agent; close: () => void }) {
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: { days: String(agent.keyLifetimeDays ?? ''), addresses: agent.addresses },
  });
  const { days, addresses } = form.values;
  useUnsaved(form.isDirty());
  const keyLifetimeDays = days === '' ? null : Number(days);
  const change: UpdateAgentRequest = {
    ...(keyLifetimeDays !== agent.keyLifetimeDays && { keyLifetimeDays }),
    ...(addresses.join() !== agent.addresses.join() && { addresses }),
  };
  const save = useMutation({
    mutationFn: () => updateAgent(agent.id, change),
    onSuccess: () => {
      showDone(text.saved);
      close();
      return queryClient.invalidateQueries({ queryKey: queryKeys.agents.all });
    },
  });
  const endsAt = keyLifetimeDays === null ? Infinity : Date.parse(agent.keyCreatedAt) + keyLifetimeDays * DAY_MS;
  const endsAtOnce = useNow((now) => endsAt <= now);
  const offered = [...new Set([...USUAL_DAYS, ...(agent.keyLifetimeDays ? [agent.keyLifetimeDays] : [])])];
  const why = Object.keys(change).length === 0 ? whyMessages.unchanged : null;
  return (
    <form
      onSubmit={form.onSubmit(() => {
        if (why === null) save.mutate();
      })}
    >
      <Stack>
        <NativeSelect
          label={text.lifetime}
          description={text.lifetimeHint}
          data={[
            { value: '', label: text.never },
            ...offered.sort((a, b) => a - b).map((each) => ({ value: String(each), label: text.after(each) })),
          ]}
          {...form.getInputProps('days')}
        />
        {change.keyLifetimeDays && (
          <Callout tone={endsAtOnce ? 'danger' : 'info'}>
            {endsAtOnce ? text.endsAtOnce : text.endsOn(dateTime(endsAt))}
          </Callout>
        )}
        <TagsInput
          label={text.addresses}
          description={text.addressesHint}
          placeholder={addresses.length === 0 ? text.addressesPlaceholder : undefined}
          splitChars={[',', ' ']}
          acceptValueOnBlur
          maxTags={AGENT_ADDRESSES_MAX}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('addresses')}
        />
        <FormFoot label={text.save} why={why} save={save} cancel={close} />
      </Stack>
    </form>
  );
}
