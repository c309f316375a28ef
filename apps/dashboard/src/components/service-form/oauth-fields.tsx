import { OAUTH_URL_MAX } from '#contracts/limits';
import { OAUTH_GRANTS, PKCE_METHODS, TOKEN_AUTHS } from '#contracts/states';
import { NativeSelect, Stack, TextInput, type TextInputProps } from '@mantine/core';
import type { OAuthDraft } from './auth-draft.js';
import { serviceFormMessages } from './messages.js';
import { RedirectUrl } from './redirect-url.js';
import { RowsInput } from './rows-input.js';

const text = serviceFormMessages.oauth;

/** How the gateway gets tokens from an OAuth 2 provider. The secrets are elsewhere. */
export function OAuthFields({ oauth, onChange }: { oauth: OAuthDraft; onChange: (oauth: OAuthDraft) => void }) {
  const set = (change: Partial<OAuthDraft>) => onChange({ ...oauth, ...change });
  const isUrl = (value: string) => value === '' || URL.canParse(value);
  const field = (name: 'authorizationUrl' | 'tokenUrl' | 'clientId' | 'scopes'): TextInputProps => ({
    value: oauth[name],
    onChange: (event) => set({ [name]: event.currentTarget.value }),
    autoComplete: 'off',
    spellCheck: false,
  });
  const url = (name: 'authorizationUrl' | 'tokenUrl'): TextInputProps => ({
    ...field(name),
    type: 'url',
    maxLength: OAUTH_URL_MAX,
    error: isUrl(oauth[name]) ? undefined : text.badUrl,
  });
  const signsIn = oauth.grant === 'authorization_code';
  return (
    <Stack gap={10}>
      <NativeSelect
        label={text.grant}
        value={oauth.grant}
        data={OAUTH_GRANTS.map((value) => ({ value, label: text.grants[value] }))}
        onChange={(event) => set({ grant: event.currentTarget.value as OAuthDraft['grant'] })}
      />
      {signsIn && <RedirectUrl />}
      {signsIn && (
        <TextInput label={text.authorizationUrl} placeholder={text.authorizationExample} {...url('authorizationUrl')} />
      )}
      <TextInput label={text.tokenUrl} placeholder={text.tokenExample} {...url('tokenUrl')} />
      <TextInput label={serviceFormMessages.clientId} {...field('clientId')} />
      <TextInput
        label={serviceFormMessages.scopes}
        description={serviceFormMessages.scopesHint}
        classNames={{ input: 'mono' }}
        {...field('scopes')}
      />
      <NativeSelect
        label={text.tokenAuth}
        description={text.tokenAuthHint}
        value={oauth.tokenAuth}
        data={TOKEN_AUTHS.map((value) => ({ value, label: text.tokenAuths[value] }))}
        onChange={(event) => set({ tokenAuth: event.currentTarget.value as OAuthDraft['tokenAuth'] })}
      />
      {signsIn && (
        <NativeSelect
          label={text.pkce}
          description={text.pkceHint}
          value={oauth.pkce}
          data={PKCE_METHODS.map((value) => ({ value, label: text.pkces[value] }))}
          onChange={(event) => set({ pkce: event.currentTarget.value as OAuthDraft['pkce'] })}
        />
      )}
      <RowsInput
        label={text.extra}
        hint={text.extraHint}
        nameLabel={text.extraName}
        valueLabel={text.extraValue}
        addLabel={text.addExtra}
        rows={oauth.extraParams}
        empty={{ name: '', value: '' }}
        onChange={(extraParams) => set({ extraParams })}
      />
    </Stack>
  );
}
