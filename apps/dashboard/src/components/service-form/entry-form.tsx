import { filledIn, type CatalogueEntry } from '#catalogue';
import { SERVICE_NAME_MAX } from '#contracts/limits';
import { Checkbox, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { useUnsaved } from '../../lib/unsaved.js';
import { FoldedAskFor } from '../effects/folded-ask-for.js';
import { ConnectFoot } from './connect-foot.js';
import type { ConnectProps } from './connect-props.js';
import { EntryAuth } from './entry-auth.js';
import { emptyDraft, firstGap, fitsPlaceholder, offeredRules, toNewService } from './entry-draft.js';
import { serviceFormMessages } from './messages.js';

/** Connects an API of the catalogue. It asks only for what this API needs. */
export function EntryForm({ entry, submitLabel, connect }: ConnectProps & { entry: CatalogueEntry }) {
  const [draft, setDraft] = useState(() => emptyDraft(entry));
  const [typed, setTyped] = useState(false);
  useUnsaved(typed);
  const set = (change: Partial<typeof draft>) => {
    setDraft({ ...draft, ...change });
    setTyped(true);
    connect.forget();
  };
  const { name, placeholders } = draft;
  const { baseUrl, auth } = filledIn(entry, placeholders);
  const gap = firstGap(entry, draft);
  const offered = offeredRules(entry);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (gap === null) connect.submit(toNewService(entry, draft));
      }}
    >
      <Stack gap="lg">
        <div>
          <Title order={2} size="h3">
            {entry.name}
          </Title>
          <Text size="sm" c="dimmed" className="anywhere">
            {serviceFormMessages.reach(`${baseUrl.replace('https://', '')}/*`)}
          </Text>
        </div>
        <TextInput
          label={serviceFormMessages.name}
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
            error={
              placeholders[key] && !fitsPlaceholder(placeholders[key])
                ? serviceFormMessages.badPlaceholder(example)
                : null
            }
            onChange={(event) => set({ placeholders: { ...placeholders, [key]: event.currentTarget.value } })}
            autoComplete="off"
            spellCheck={false}
          />
        ))}
        <EntryAuth auth={auth} draft={draft} set={set} isRejected={connect.rejected !== null} />
        <FoldedAskFor value={draft.askFor} onChange={(askFor) => set({ askFor })} />
        <Checkbox.Group
          label={serviceFormMessages.rules}
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
        <ConnectFoot
          connect={connect}
          submitLabel={submitLabel}
          why={gap === null ? null : serviceFormMessages.enter(gap)}
        />
      </Stack>
    </form>
  );
}
