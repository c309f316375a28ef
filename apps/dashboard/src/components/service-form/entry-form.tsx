import { filledIn, type CatalogueEntry } from '#catalogue';
import { SERVICE_NAME_MAX } from '#contracts/limits';
import { Anchor, Checkbox, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../icon.js';
import { SubmitButton } from '../submit-button.js';
import { CardChoice } from './card-choice.js';
import type { ConnectProps } from './connect-props.js';
import { askedFor, emptyDraft, firstGap, fitsPlaceholder, offeredRules, serviceOf } from './entry-draft.js';
import { messages } from './messages.js';
import { RedirectUrl } from './redirect-url.js';
import { Secret } from './secret.js';

/** Connects an API of the catalogue. It asks only for what this API needs. */
export function EntryForm({ entry, submitLabel, busy, onSubmit }: ConnectProps & { entry: CatalogueEntry }) {
  const [draft, setDraft] = useState(() => emptyDraft(entry));
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change });
  const { name, placeholders, credentials } = draft;
  const { baseUrl, auth } = filledIn(entry, placeholders);
  const way = auth[draft.way]!;
  const gap = firstGap(entry, draft);
  const offered = offeredRules(entry);
  const createAt = URL.canParse(way.createAt) ? new URL(way.createAt) : null;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (gap === null) onSubmit(serviceOf(entry, draft));
      }}
    >
      <Stack gap="lg">
        <div>
          <Title order={2} size="h3">
            {entry.name}
          </Title>
          <Text size="sm" c="dimmed" className="anywhere">
            {messages.reach(`${baseUrl.replace('https://', '')}/*`)}
          </Text>
        </div>
        <TextInput
          label={messages.name}
          maxLength={SERVICE_NAME_MAX}
          value={name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          autoComplete="off"
        />
        {entry.placeholders?.map(({ name: key, label, example }) => (
          <TextInput
            key={key}
            label={label}
            placeholder={example}
            value={placeholders[key] ?? ''}
            error={placeholders[key] && !fitsPlaceholder(placeholders[key]) ? messages.badPlaceholder(example) : null}
            onChange={(event) => set({ placeholders: { ...placeholders, [key]: event.currentTarget.value } })}
            autoComplete="off"
            spellCheck={false}
          />
        ))}
        {auth.length > 1 && (
          <CardChoice
            label={messages.auth}
            value={String(draft.way)}
            options={auth.map(({ title }, index) => ({ value: String(index), title }))}
            onChange={(value) => set({ way: Number(value), credentials: {} })}
          />
        )}
        {createAt && askedFor(way).length > 0 && (
          <Anchor href={createAt.href} target="_blank" rel="noreferrer" w="fit-content">
            <Group component="span" gap={6} display="inline-flex">
              {messages.createAt(way.oauth !== undefined, createAt.host)} <Icon name="external" size={16} />
            </Group>
          </Anchor>
        )}
        {way.oauth?.grant === 'authorization_code' && <RedirectUrl />}
        {way.oauth && (
          <TextInput
            label={messages.clientId}
            value={draft.clientId}
            onChange={(event) => set({ clientId: event.currentTarget.value })}
            autoComplete="off"
            spellCheck={false}
          />
        )}
        {askedFor(way).map(({ name: key, label, hint }) => (
          <Secret
            key={`${draft.way} ${key}`}
            label={label}
            description={hint}
            value={credentials[key] ?? ''}
            onChange={(value) => set({ credentials: { ...credentials, [key]: value } })}
            authType={way.authType}
            name={key}
          />
        ))}
        {way.oauth && (
          <TextInput
            label={messages.scopes}
            description={messages.scopesHint}
            value={draft.scopes ?? way.oauth.scopes.join(' ')}
            onChange={(event) => set({ scopes: event.currentTarget.value })}
            classNames={{ input: 'mono' }}
            autoComplete="off"
            spellCheck={false}
          />
        )}
        <Checkbox.Group
          label={messages.rules}
          value={offered.map(({ title }) => title).filter((title) => !draft.without.includes(title))}
          onChange={(kept) =>
            set({ without: offered.map(({ title }) => title).filter((title) => !kept.includes(title)) })
          }
        >
          <Stack gap={8} mt={6}>
            {offered.map(({ title }) => (
              <Checkbox key={title} value={title} label={title} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group>
          <SubmitButton size="md" why={gap === null ? null : messages.enter(gap)} loading={busy}>
            {submitLabel}
          </SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}
