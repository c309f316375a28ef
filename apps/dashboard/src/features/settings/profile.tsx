import type { User, UserResponse } from '#contracts';
import { USER_NAME_MAX } from '#contracts/limits';
import { Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Loaded } from '../../components/loaded.js';
import { Callout } from '../../components/notices.js';
import { Card, Section } from '../../components/page.js';
import { Moment } from '../../components/time.js';
import { failure, patch } from '../../lib/http.js';
import { meQuery } from '../../lib/queries.js';
import { showDone } from '../../lib/toasts.js';
import { messages } from './messages.js';
import { SubmitButton } from '../../components/submit-button.js';
import { whyMessages } from '../../lib/why-messages.js';
import { useUnsaved } from '../../lib/unsaved.js';

const text = messages.profile;

export function Profile() {
  const query = useQuery(meQuery);
  return (
    <Section title={text.title}>
      <Card>
        <Loaded query={query}>{(me) => <ProfileForm key={me.name} me={me} />}</Loaded>
      </Card>
    </Section>
  );
}

function ProfileForm({ me }: { me: User }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(me.name);
  const save = useMutation({
    mutationFn: () => patch<UserResponse>('/auth/me', { name: name.trim() }),
    onSuccess: ({ user }) => {
      queryClient.setQueryData(meQuery.queryKey, (before) => before && { ...before, ...user });
      showDone(text.saved);
    },
  });
  const ready = name.trim() !== '' && name.trim() !== me.name;
  useUnsaved(name !== me.name);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) save.mutate();
      }}
    >
      <Stack>
        <TextInput
          label={text.name}
          description={text.nameHint}
          autoComplete="name"
          maxLength={USER_NAME_MAX}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput label={text.email} description={text.emailHint} readOnly value={me.email} />
        <Text c="dimmed" size="sm">
          {text.since} <Moment at={me.createdAt} />
        </Text>
        <div role="alert">{save.isError && <Callout tone="danger">{failure(save.error).message}</Callout>}</div>
        <Group gap="sm">
          <SubmitButton
            why={ready ? null : name.trim() === '' ? whyMessages.name(1) : whyMessages.unchanged}
            loading={save.isPending}
          >
            {text.save}
          </SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}
