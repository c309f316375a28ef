import type { CreateAccessTokenRequest, CreatedAccessToken, Role, WorkspaceSummary } from '#contracts';
import { WORKSPACE_NAME_MAX } from '#contracts/limits';
import { isAtLeast, ROLES } from '#contracts/states';
import { NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FormFoot } from '../../components/form-foot.js';
import { OneTimeSecret } from '../../components/one-time-secret.js';
import { post } from '../../lib/http.js';
import { whyMessages } from '../../lib/why-messages.js';
import { roleMessages } from '../../lib/role-messages.js';
import { workspaceId } from '../../lib/workspace-choice.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { tokensQuery } from './api.js';
import { messages } from './messages.js';

const text = messages.tokens;
const DAY_MINUTES = 24 * 60;

/** Creates a token, and shows it once. */
export function CreateToken({ workspaces }: { workspaces: readonly WorkspaceSummary[] }) {
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: { name: '', workspace: String(workspaceId()), role: 'auditor' as Role, days: '30' },
  });
  const { name, days } = form.values;
  useUnsaved(name !== '');
  const workspace = workspaces.find(({ id }) => String(id) === form.values.workspace) ?? workspaces[0];
  const roles = ROLES.filter((role) => workspace && isAtLeast(workspace.role, role));
  const role = roles.includes(form.values.role) ? form.values.role : 'auditor';
  const create = useMutation({
    mutationFn: (request: CreateAccessTokenRequest) => post<CreatedAccessToken>('/auth/tokens', request),
    onSuccess: () => {
      form.setFieldValue('name', '');
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
  const why = name.trim() === '' ? whyMessages.name(1) : null;
  return (
    <form
      onSubmit={form.onSubmit(() => {
        if (why !== null || !workspace) return;
        create.mutate({
          name: name.trim(),
          workspaceId: workspace.id,
          role,
          expiresInMinutes: Number(days) * DAY_MINUTES,
        });
      })}
    >
      <Stack>
        <TextInput
          label={text.name}
          description={text.nameHint}
          maxLength={WORKSPACE_NAME_MAX}
          {...form.getInputProps('name')}
        />
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <NativeSelect
            label={text.workspace}
            data={workspaces.map(({ id, name: label }) => ({ value: String(id), label }))}
            {...form.getInputProps('workspace')}
            value={workspace && String(workspace.id)}
          />
          <NativeSelect
            label={text.role}
            data={roles.map((each) => ({ value: each, label: roleMessages.roles[each] }))}
            {...form.getInputProps('role')}
            value={role}
          />
          <NativeSelect
            label={text.ends}
            data={Object.entries(text.days).map(([value, label]) => ({ value, label }))}
            {...form.getInputProps('days')}
          />
        </SimpleGrid>
        <FormFoot label={text.submit} why={why} save={create} />
      </Stack>
    </form>
  );
}
