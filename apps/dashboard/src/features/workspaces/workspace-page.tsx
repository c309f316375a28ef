import type { Workspace } from '#contracts';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { effectTitles } from '../../components/effects/effect-titles.js';
import { Loaded } from '../../components/loaded.js';
import { Card, Section } from '../../components/page.js';
import { SettingsFrame } from '../../components/settings-frame.js';
import { PageSkeleton } from '../../components/skeletons.js';
import { Terms } from '../../components/terms.js';
import { Moment } from '../../components/time.js';
import { roleMessages } from '../../lib/role-messages.js';
import { useMembers, useWorkspace } from '../../lib/workspace.js';
import { workspaceQuery } from '../../lib/workspace-query.js';
import { CreateWorkspace } from './create-workspace.js';
import { DeleteWorkspace } from './delete-workspace.js';
import { messages } from './messages.js';
import { WorkspaceForm } from './workspace-form.js';

const text = messages.settings;

/** The name and the rules of the workspace. Owners can change them. */
export function Component() {
  const workspace = useWorkspace();
  return <SettingsFrame>{workspace ? <Loader id={workspace.id} /> : <PageSkeleton />}</SettingsFrame>;
}

function Loader({ id }: { id: number }) {
  const query = useQuery(workspaceQuery(id));
  return (
    <Loaded query={query}>
      {(workspace) => (
        <>
          <Section title={text.title}>
            <Card>
              {workspace.role === 'owner' ? (
                <WorkspaceForm key={JSON.stringify([workspace.name, workspace.settings])} workspace={workspace} />
              ) : (
                <Facts workspace={workspace} />
              )}
            </Card>
          </Section>
          <Section title={text.another}>
            <Text c="dimmed" mb="md">
              {messages.create.nameHint}
            </Text>
            <CreateWorkspace />
          </Section>
          {workspace.role === 'owner' && <DeleteWorkspace workspace={workspace} />}
        </>
      )}
    </Loaded>
  );
}

/** Shown to people who may not change it. */
function Facts({ workspace }: { workspace: Workspace }) {
  const { settings } = workspace;
  const { data: members = [] } = useMembers();
  const owners = members.filter(({ role }) => role === 'owner').map(({ name }) => name);
  return (
    <>
      <Text c="dimmed" size="sm" mb="md">
        {text.onlyOwners} {owners.length > 0 && roleMessages.workspace.ask(owners)}
      </Text>
      <Terms
        items={[
          [text.name, workspace.name],
          [text.hours, text.hourWords(settings.approverRuleMaxHours)],
          [text.undo, text.undoWords(settings.undoSeconds)],
          [text.duties, settings.separationOfDuties ? text.yes : text.no],
          [text.confirm, text.riskWords(settings.confirmFromRisk)],
          [text.confirmEffects, effectTitles(settings.confirmEffects) || text.none],
          [text.approve, text.belowWords(settings.approveInNotificationsBelow)],
          [text.created, <Moment at={workspace.createdAt} />],
        ]}
      />
    </>
  );
}
