import type { CreateAccessTokenRequest, CreatedAccessToken, Role, WorkspaceSummary } from '#contracts';
import { WORKSPACE_NAME_MAX } from '#contracts/limits';
import { isAtLeast, ROLES } from '#contracts/states';
import { NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormFoot } from '../../components/form-foot.js';
import { OneTimeSecret } from '../../components/one-time-secret.js';
import { now } from '../../lib/clock.js';
import { post } from '../../lib/http.js';
import { messages as sharedWords } from '../../lib/messages.js';
import { messages as shared } from '../../lib/role-messages.js';
import { workspaceId } from '../../lib/workspace-choice.js';
import { tokensQuery } from './api.js';
import { messages } from './messages.js';

const text = messages.tokens;
const DAY_MS = 24 * 3_600_000;

/** Creates a token, and shows it once. */
export function CreateToken({ workspaces }: { workspaces: readonly WorkspaceSummary[] }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<number | null>(null);
  const [wanted, setWanted] = useState<Role>('auditor');
  const [days, setDays] = useState<number>(30);
  const workspace = workspaces.find(({ id }) => id === (chosen ?? workspaceId())) ?? workspaces[0];
  const roles = ROLES.filter((role) => workspace && isAtLeast(workspace.role, role));
  const role = roles.includes(wanted) ? wanted : 'auditor';
  const create = useMutation({
    mutationFn: (request: CreateAccessTokenRequest) => post<CreatedAccessToken>('/auth/tokens', request),
    onSuccess: () => {
      setName('');
      return queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey });
    },
    // Do not keep the token in the mutation cache.
    gcTime: 0,
  });
  if (create.data) {
    return (
      <OneTimeSecret
        label={text.secret(create.data.name)}
        value={create.data.token}
        once={text.once}
        storedLabel={text.stored}
        onStored={create.reset}
      />
    );
  }
  const why = name.trim() === '' ? sharedWords.why.name(1) : null;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (why !== null || !workspace) return;
        const expiresAt = new Date(now() + days * DAY_MS).toISOString();
        create.mutate({ name: name.trim(), workspaceId: workspace.id, role, expiresAt });
      }}
    >
      <Stack>
        <TextInput
          label={text.name}
          description={text.nameHint}
          maxLength={WORKSPACE_NAME_MAX}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <NativeSelect
            label={text.workspace}
            value={workspace?.id}
            onChange={(event) => setChosen(Number(event.currentTarget.value))}
            data={workspaces.map(({ id, name: label }) => ({ value: String(id), label }))}
          />
          <NativeSelect
            label={text.role}
            value={role}
            onChange={(event) => setWanted(event.currentTarget.value as Role)}
            data={roles.map((each) => ({ value: each, label: shared.roles[each] }))}
          />
          <NativeSelect
            label={text.ends}
            value={days}
            onChange={(event) => setDays(Number(event.currentTarget.value))}
            data={Object.entries(text.days).map(([value, label]) => ({ value, label }))}
          />
        </SimpleGrid>
        <FormFoot label={text.submit} why={why} save={create} />
      </Stack>
    </form>
  );
}
