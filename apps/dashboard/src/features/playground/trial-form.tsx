import type { Service } from '#contracts';
import { INTENT_MAX } from '#contracts/limits';
import { Group, Kbd, NativeSelect, SimpleGrid, Stack, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { agentsQuery } from '../../lib/queries.js';
import { messages } from './messages.js';
import { TargetFields } from './target-fields.js';
import { carriesBody, readHeaders, type Trial } from './trial.js';
import { SubmitButton } from '../../components/submit-button.js';
import { whyMessages } from '../../lib/why-messages.js';

interface Props {
  trial: Trial;
  services: readonly Service[];
  service: Service;
  ready: boolean;
  busy: boolean;
  onChange: (trial: Trial) => void;
  run: () => void;
}

/** The form for the request. */
export function TrialForm({ trial, services, service, ready, busy, onChange, run }: Props) {
  const { data: agents = [] } = useQuery(agentsQuery);
  const set = (change: Partial<Trial>) => onChange({ ...trial, ...change });
  const named = (items: readonly { id: number; name: string }[]) =>
    items.map(({ id, name }) => ({ value: String(id), label: name }));
  const withBody = carriesBody(trial.method);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <Stack>
        <SimpleGrid minColWidth="min(180px, 100%)" autoFlow="auto-fit">
          <NativeSelect
            label={messages.service}
            value={String(trial.service)}
            data={named(services)}
            onChange={(event) => set({ service: Number(event.currentTarget.value) })}
          />
          <NativeSelect
            label={messages.agent}
            value={String(trial.agent ?? '')}
            data={[{ value: '', label: messages.anyAgent }, ...named(agents)]}
            onChange={(event) => set({ agent: Number(event.currentTarget.value) || null })}
          />
        </SimpleGrid>
        <TargetFields trial={trial} service={service} set={set} />
        <Textarea
          label={messages.intent}
          placeholder={messages.intentPlaceholder}
          maxLength={INTENT_MAX}
          autosize
          minRows={2}
          value={trial.intent}
          onChange={(event) => set({ intent: event.currentTarget.value })}
        />
        <Textarea
          label={messages.headers}
          description={messages.headersHint}
          classNames={{ input: 'mono' }}
          autosize
          minRows={2}
          maxRows={8}
          spellCheck={false}
          error={readHeaders(trial.headers) === null ? messages.badHeader : undefined}
          value={trial.headers}
          onChange={(event) => set({ headers: event.currentTarget.value })}
        />
        <Textarea
          label={messages.body}
          description={withBody ? undefined : messages.noBody(trial.method)}
          classNames={{ input: 'mono' }}
          autosize
          minRows={4}
          maxRows={16}
          spellCheck={false}
          disabled={!withBody}
          value={trial.body}
          onChange={(event) => set({ body: event.currentTarget.value })}
        />
        <Group>
          <SubmitButton
            why={ready ? null : readHeaders(trial.headers) === null ? whyMessages.marked : messages.noIntent}
            loading={busy}
          >
            {messages.run}
          </SubmitButton>
          <Kbd visibleFrom="md">{messages.mod(navigator.platform.startsWith('Mac'))}</Kbd>
        </Group>
      </Stack>
    </form>
  );
}
