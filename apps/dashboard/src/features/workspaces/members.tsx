import type { Member, Role, WorkspaceSummary } from '#contracts';
import { ROLES } from '#contracts/states';
import { Button, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Chip } from '../../components/chip.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { Card, Section } from '../../components/page.js';
import { RelativeTime } from '../../components/time.js';
import { now, useNow } from '../../lib/clock.js';
import { meQuery, membersQuery } from '../../lib/queries.js';
import { roleMessages } from '../../lib/role-messages.js';
import { ChangeRole } from './change-role.js';
import { messages } from './messages.js';
import { RemoveMember } from './remove-member.js';

const text = messages.members;
/**
 * A person counts as here for this long after their last request. An open dashboard sends requests more often
 * (app/shell.tsx).
 */
const HERE_MS = 5 * 60_000;
const REFRESH_MS = 30_000;

const isHere = ({ lastSeenAt }: Member, nowMs: number): boolean =>
  lastSeenAt !== null && nowMs - Date.parse(lastSeenAt) < HERE_MS;

export function Members({ workspace }: { workspace: WorkspaceSummary }) {
  const query = useQuery({ ...membersQuery(workspace.id), refetchInterval: REFRESH_MS });
  const { data: me } = useQuery(meQuery);
  const [changing, setChanging] = useState<{ member: Member; role: Role } | null>(null);
  const [removing, setRemoving] = useState<Member | null>(null);
  const owns = workspace.role === 'owner';
  const lastOwner = query.data?.filter(({ role }) => role === 'owner').length === 1;
  const isFixed = ({ role }: Member) => role === 'owner' && lastOwner;
  const columns: Column<Member>[] = [
    {
      key: 'person',
      label: text.person,
      phone: 'title',
      cell: (member) => (
        <div>
          <b translate="no">{member.name}</b> {member.id === me?.id && <Chip>{text.you}</Chip>}
          <Text c="dimmed" size="sm" translate="no">
            {member.email}
          </Text>
        </div>
      ),
    },
    {
      key: 'role',
      label: text.role,
      width: '172px',
      cell: (member) =>
        owns && !isFixed(member) ? (
          <NativeSelect
            aria-label={text.roleFor(member.name)}
            value={member.role}
            onChange={(event) => setChanging({ member, role: event.currentTarget.value as Role })}
            data={ROLES.map((role) => ({ value: role, label: roleMessages.roles[role] }))}
          />
        ) : (
          <div>
            {roleMessages.roles[member.role]}
            {owns && (
              <Text c="dimmed" size="xs">
                {text.lastOwner}
              </Text>
            )}
          </div>
        ),
    },
    { key: 'seen', label: text.seen, cell: (member) => <Seen member={member} /> },
    {
      key: 'remove',
      label: text.remove,
      phone: 'bare',
      align: 'end',
      cell: (member) =>
        (owns || member.id === me?.id) &&
        !isFixed(member) && (
          <Button
            size="xs"
            variant="default"
            aria-label={member.id === me?.id ? undefined : text.removeIt(member.name)}
            onClick={() => setRemoving(member)}
          >
            {member.id === me?.id ? text.leave : text.remove}
          </Button>
        ),
    },
  ];
  return (
    <Section
      title={text.title}
      actions={
        owns && (
          <Button size="xs" variant="default" onClick={toInvite}>
            {messages.invitations.title}
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {(members) => (
          <>
            <Text c="dimmed" mb="md">
              {text.count(members.length)}{' '}
              {text.here(members.filter((member) => isHere(member, now())).map(({ name }) => name))}
            </Text>
            <Card padded={false}>
              <DataTable caption={text.title} columns={columns} rows={members} rowKey={({ id }) => id} />
            </Card>
          </>
        )}
      </Loaded>
      {changing && <ChangeRole {...changing} workspace={workspace} close={() => setChanging(null)} />}
      {removing && (
        <RemoveMember
          member={removing}
          workspace={workspace}
          self={removing.id === me?.id}
          close={() => setRemoving(null)}
        />
      )}
    </Section>
  );
}

/** The form is below the list. */
const toInvite = (): void => document.querySelector<HTMLElement>('[data-invite] textarea')?.focus();

function Seen({ member }: { member: Member }) {
  const here = useNow((nowMs) => isHere(member, nowMs));
  if (here) return <Chip tone="good">{text.hereNow}</Chip>;
  return member.lastSeenAt === null ? text.never : <RelativeTime at={member.lastSeenAt} />;
}
