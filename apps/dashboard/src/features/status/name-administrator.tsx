import type { Administrator, Member } from '#contracts';
import { Group, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { Card } from '../../components/page.js';
import { SubmitButton } from '../../components/submit-button.js';
import { put } from '../../lib/http.js';
import { showDone } from '../../lib/toasts.js';
import { useMembers } from '../../lib/workspace.js';
import { administratorsQuery } from './api.js';
import { installationMessages } from './installation-messages.js';

const text = installationMessages.administrators;
const SHOWN_MAX = 50;

/** Makes a member of the open workspace an administrator of the installation. */
export function NameAdministrator({ administrators }: { administrators: readonly Administrator[] }) {
  const { data: members } = useMembers();
  const [chosen, setChosen] = useState<string | null>(null);
  const [asking, setAsking] = useState<Member | null>(null);
  const others = members?.filter(({ id }) => administrators.every((each) => each.id !== id)) ?? [];
  const person = others.find(({ id }) => String(id) === chosen);
  if (others.length === 0) return members && <Text c="dimmed">{text.nobody}</Text>;
  return (
    <Card>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (person) setAsking(person);
        }}
      >
        <Stack>
          <Select
            maw={420}
            label={text.member}
            placeholder={text.choose}
            searchable
            limit={SHOWN_MAX}
            nothingFoundMessage={text.none}
            value={chosen}
            onChange={setChosen}
            data={others.map(({ id, name, email }) => ({ value: String(id), label: `${name} (${email})` }))}
          />
          <Group gap="sm">
            <SubmitButton why={person ? null : text.whyNot}>{text.submit}</SubmitButton>
          </Group>
        </Stack>
      </form>
      {asking && (
        <Confirm
          person={asking}
          close={() => {
            setAsking(null);
            setChosen(null);
          }}
        />
      )}
    </Card>
  );
}

function Confirm({ person: { id, name }, close }: { person: Member; close: () => void }) {
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: () => put<Administrator>(`/admin/administrators/${id}`, {}),
    onSuccess: () => {
      showDone(text.named(name));
      close();
      return queryClient.invalidateQueries({ queryKey: administratorsQuery.queryKey });
    },
  });
  return (
    <ConfirmDialog title={text.nameTitle(name)} label={text.submit} change={save} close={close}>
      <Text>{text.nameWhat}</Text>
    </ConfirmDialog>
  );
}
