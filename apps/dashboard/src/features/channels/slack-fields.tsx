import type { Channel } from '#contracts';
import { RISK_BANDS } from '#contracts/states';
import { NativeSelect, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useMay } from '../../lib/workspace.js';
import type { ChannelDraft } from './draft.js';
import { messages } from './messages.js';
import { withPresent } from './presets.js';
import { TargetField } from './target-field.js';

const text = messages.form.app;
const RISKS = [
  '',
  ...RISK_BANDS.map(({ from }) => String(from))
    .reverse()
    .slice(1),
  '1',
];

interface Props {
  form: UseFormReturnType<ChannelDraft>;
  /** null for a new channel. */
  channel: Channel | null;
}

/** The fields of a Slack channel: an incoming webhook, or an app that replaces its messages and can have buttons. */
export function SlackFields({ form, channel }: Props) {
  const { isApp } = form.values;
  const kept = channel !== null && (channel.slackApp !== null) === isApp ? channel.target : null;
  return (
    <>
      <NativeSelect
        label={text.choice}
        value={isApp ? 'app' : 'webhook'}
        onChange={({ currentTarget }) => form.setFieldValue('isApp', currentTarget.value === 'app')}
        data={[
          { value: 'webhook', label: text.webhook },
          { value: 'app', label: text.app },
        ]}
      />
      {isApp ? <AppFields form={form} kept={kept} /> : <TargetField form={form} type="slack" kept={kept} />}
    </>
  );
}

const FIELDS = ['botToken', 'signingSecret', 'slackChannel'] as const;

function AppFields({ form, kept }: Pick<Props, 'form'> & { kept: string | null }) {
  const owns = useMay('owner');
  const { decideBelow } = form.values;
  return (
    <>
      <Text c="dimmed" size="sm">
        {kept === null ? text.help : text.keep(kept)}
      </Text>
      {FIELDS.map((field) => (
        <TextInput
          key={field}
          label={text.fields[field].label}
          description={text.fields[field].help}
          placeholder={text.fields[field].placeholder}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps(field)}
        />
      ))}
      <NativeSelect
        label={text.decide}
        description={owns ? text.decideHelp : text.decideOwners}
        {...form.getInputProps('decideBelow')}
        data={withPresent(RISKS, decideBelow)
          // Administrators may switch it off.
          .filter((value) => owns || value === '' || value === decideBelow)
          .map((value) => ({ value, label: text.decides(value === '' ? null : Number(value)) }))}
      />
    </>
  );
}
