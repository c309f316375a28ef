import { Checkbox, Group, TextInput } from '@mantine/core';
import type { AuthDraft, TemplateRow } from './auth-draft.js';
import { serviceFormMessages } from './messages.js';
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
          label={serviceFormMessages.template.title}
          hint={serviceFormMessages.template.hint}
          nameLabel={serviceFormMessages.template.name}
          valueLabel={serviceFormMessages.template.value}
          addLabel={serviceFormMessages.template.add}
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
              label={serviceFormMessages.aws[name]}
              placeholder={serviceFormMessages.aws.examples[name]}
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
          label={serviceFormMessages.certificate.label}
          description={serviceFormMessages.certificate.hint}
          checked={draft.certificate}
          onChange={(event) => onChange({ certificate: event.currentTarget.checked })}
        />
      )}
    </>
  );
}
