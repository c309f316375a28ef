import { PageSkeleton } from '../../components/skeletons.js';
import { SettingsFrame } from '../../components/settings-frame.js';
import { useWorkspace } from '../../lib/workspace.js';
import { Invitations } from './invitations.js';
import { Members } from './members.js';

/** The people of the workspace. Owners can change them, and everybody can see them. */
export function Component() {
  const workspace = useWorkspace();
  return (
    <SettingsFrame>
      {workspace ? (
        <>
          <Members workspace={workspace} />
          {workspace.role === 'owner' && <Invitations workspace={workspace} />}
        </>
      ) : (
        <PageSkeleton />
      )}
    </SettingsFrame>
  );
}
