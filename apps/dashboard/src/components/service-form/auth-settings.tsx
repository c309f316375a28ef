import { Checkbox, Group, TextInput } from '@mantine/core';
import type { AuthDraft, TemplateRow } from './auth-draft.js';
import { messages } from './messages.js';
import { OAuthFields } from './oauth-fields.js';
import { RowsInput } from './rows-input.js';

interface Props {
  draft: AuthDraft;
  onChange: (change: Partial<AuthDraft>) => void;
}

/** The settings of a way to authenticate that are not secret. */
export function AuthSettingsFields({ draft, onChange }: Props) {
  const { way, aws } = draft;
  return (
    <>
      {way === 'oauth' && <OAuthFields oauth={draft.oauth} onChange={(oauth) => onChange({ oauth })} />}
      {way === 'custom' && (
        <RowsInput<TemplateRow>
          label={messages.template.title}
          hint={messages.template.hint}
          nameLabel={messages.template.name}
          valueLabel={messages.template.value}
          addLabel={messages.template.add}
          rows={draft.templates}
          empty={{ place: 'headers', name: '', value: '' }}
          onChange={(templates) => onChange({ templates })}
        />
      )}
      {way === 'aws' && (
        <Group align="flex-start">
          {(['region', 'service'] as const).map((name) => (
            <TextInput
              key={name}
              flex="1 1 160px"
              label={messages.aws[name]}
              placeholder={messages.aws.examples[name]}
              value={aws[name]}
              onChange={(event) => onChange({ aws: { ...aws, [name]: event.currentTarget.value } })}
              autoComplete="off"
              spellCheck={false}
              classNames={{ input: 'mono' }}
            />
          ))}
        </Group>
      )}
      {way !== 'none' && (
        <Checkbox
          label={messages.certificate.label}
          description={messages.certificate.hint}
          checked={draft.certificate}
          onChange={(event) => onChange({ certificate: event.currentTarget.checked })}
        />
      )}
    </>
  );
}
