import type { CatalogueAuth } from '#catalogue';
import { Anchor, TextInput } from '@mantine/core';
import { Icon } from '../icon.js';
import { CardChoice } from './card-choice.js';
import { askedFor, type EntryDraft } from './entry-draft.js';
import { serviceFormMessages } from './messages.js';
import { RedirectUrl } from './redirect-url.js';
import { Secret } from './secret.js';

interface Props {
  /** The ways to authenticate at the API. */
  auth: readonly CatalogueAuth[];
  draft: EntryDraft;
  set: (change: Partial<EntryDraft>) => void;
  /** The API rejected the credentials. */
  isRejected: boolean;
}

/**
 * How the gateway authenticates at an API of the catalogue: the auth type, the place where the user gets a credential,
 * and the fields for it.
 */
export function EntryAuth({ auth, draft, set, isRejected }: Props) {
  const way = auth[draft.way]!;
  const createAt = URL.canParse(way.createAt) ? new URL(way.createAt) : null;
  return (
    <>
      {auth.length > 1 && (
        <CardChoice
          label={serviceFormMessages.auth}
          value={String(draft.way)}
          options={auth.map(({ title }, index) => ({ value: String(index), title }))}
          onChange={(value) => set({ way: Number(value), credentials: {} })}
        />
      )}
      {createAt && askedFor(way).length > 0 && (
        <Anchor href={createAt.href} target="_blank" rel="noreferrer" w="fit-content">
          {serviceFormMessages.createAt(way.oauth !== undefined, createAt.host)}&nbsp;
          <Icon name="external" size={16} />
        </Anchor>
      )}
      {way.oauth?.grant === 'authorization_code' && <RedirectUrl />}
      {way.oauth && (
        <TextInput
          label={serviceFormMessages.clientId}
          value={draft.clientId}
          onChange={(event) => set({ clientId: event.currentTarget.value })}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      {askedFor(way).map(({ name, label, hint }) => (
        <Secret
          key={`${draft.way} ${name}`}
          label={label}
          description={hint}
          value={draft.credentials[name] ?? ''}
          onChange={(value) => set({ credentials: { ...draft.credentials, [name]: value } })}
          authType={way.authType}
          name={name}
          isRejected={isRejected}
        />
      ))}
      {way.oauth && (
        <TextInput
          label={serviceFormMessages.scopes}
          description={serviceFormMessages.scopesHint}
          value={draft.scopes ?? way.oauth.scopes.join(' ')}
          onChange={(event) => set({ scopes: event.currentTarget.value })}
          classNames={{ input: 'mono' }}
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </>
  );
}
