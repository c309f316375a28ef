import { AUTH_TYPES } from '#contracts/states';
import { BASE_URL_MAX, SERVICE_NAME_MAX } from '#contracts/limits';
import { TextInput } from '@mantine/core';
import { Callout } from '../Notices.js';
import { readBaseUrl } from './base-url.js';
import { CredentialFields } from './CredentialFields.js';
import { messages } from './messages.js';
import { emptyCredentials, type ServiceDraft } from './service-draft.js';
import classes from './connect.module.css';

interface Props {
  draft: ServiceDraft;
  onChange: (draft: ServiceDraft) => void;
  /** Where the credential comes from. */
  hint?: string;
}

const text = messages.service;

/** All of a service that a person types: name, address, how it is authenticated, credentials. */
export function ServiceFields({ draft, onChange, hint }: Props) {
  const set = (change: Partial<ServiceDraft>) => onChange({ ...draft, ...change });
  return (
    <div className={classes.fields}>
      <TextInput
        label={text.name}
        placeholder={text.namePlaceholder}
        required
        withAsterisk={false}
        maxLength={SERVICE_NAME_MAX}
        autoComplete="off"
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <BaseUrlField value={draft.baseUrl} onChange={(baseUrl) => set({ baseUrl })} />
      <AuthTypeField
        value={draft.authType}
        onChange={(authType) => set({ authType, credentials: emptyCredentials(authType) })}
      />
      <fieldset className={classes.fieldset}>
        <legend className={classes.legend}>{text.credentials}</legend>
        {hint && <div className={classes.dim}>{hint}</div>}
        <CredentialFields
          authType={draft.authType}
          credentials={draft.credentials}
          onChange={(credentials) => set({ credentials })}
        />
        <div className={classes.dim}>{text.encrypted}</div>
        {draft.authType === 'oauth2' && <Callout tone="info">{text.oauthNote}</Callout>}
      </fieldset>
    </div>
  );
}

/** The address, and what it lets agents reach. */
export function BaseUrlField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const reading = readBaseUrl(value.trim());
  return (
    <div>
      <TextInput
        label={text.baseUrl}
        placeholder={text.baseUrlPlaceholder}
        type="url"
        required
        withAsterisk={false}
        maxLength={BASE_URL_MAX}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={value.trim() !== '' && reading.fault !== null ? text.faults[reading.fault] : undefined}
        inputWrapperOrder={['label', 'input', 'error']}
      />
      {reading.reach && (
        <div className={classes.reach}>
          {text.reach('')}
          <span className="mono">{reading.reach}</span>
          {reading.plainHttp && <span className={classes.insecure}> {text.plainHttp}</span>}
        </div>
      )}
    </div>
  );
}

export function AuthTypeField({
  value,
  onChange,
}: {
  value: ServiceDraft['authType'];
  onChange: (value: ServiceDraft['authType']) => void;
}) {
  return (
    <fieldset className={classes.fieldset}>
      <legend className={classes.legend}>{text.auth}</legend>
      <div className={classes.cards}>
        {AUTH_TYPES.map((type) => (
          <label key={type} className={classes.choice} data-chosen={value === type || undefined}>
            <input
              type="radio"
              name="authType"
              className="visually-hidden"
              checked={value === type}
              onChange={() => onChange(type)}
            />
            <strong>{text.authTypes[type].title}</strong>
            <span className={classes.dim}>{text.authTypes[type].text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
