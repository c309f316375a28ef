import { lazy, Suspense } from 'react';
import { Navigate, useParams } from 'react-router';
import { SettingsFrame } from '../../components/settings-frame.js';
import { PageSkeleton } from '../../components/skeletons.js';
import { useMay, useRole } from '../../lib/workspace.js';
import { Preferences } from './preferences.js';
import { Profile } from './profile.js';
import { LinkedSignIns } from './linked-sign-ins.js';
import { ChangePassword } from './change-password.js';
import { Passkeys } from './passkeys.js';
import { Sessions } from './sessions.js';

const ConfigurationFile = lazy(() => import('./configuration/page.js'));
const TABS = ['profile', 'security', 'preferences', 'file'] as const;

/**
 * Settings of the user's account and of this browser, and the configuration as a file. That one is not a route of its own
 * because the code of the routes is loaded first.
 */
export function Component() {
  const { tab } = useParams();
  const role = useRole();
  const mayImport = useMay('admin');
  if (tab === 'file' && role === null) return <PageSkeleton />;
  if (!TABS.some((each) => each === tab) || (tab === 'file' && !mayImport))
    return <Navigate to="/settings/profile" replace />;
  return (
    <SettingsFrame>
      {tab === 'profile' && <Profile />}
      {tab === 'security' && (
        <>
          <ChangePassword />
          <Passkeys />
          <LinkedSignIns />
          <Sessions />
        </>
      )}
      {tab === 'preferences' && <Preferences />}
      {tab === 'file' && (
        <Suspense fallback={<PageSkeleton />}>
          <ConfigurationFile />
        </Suspense>
      )}
    </SettingsFrame>
  );
}
