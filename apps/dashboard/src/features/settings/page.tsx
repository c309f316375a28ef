import { Navigate, useParams } from 'react-router';
import { SettingsFrame } from '../../components/settings-frame.js';
import { Preferences } from './preferences.js';
import { Profile } from './profile.js';
import { LinkedSignIns } from './linked-sign-ins.js';
import { ChangePassword } from './change-password.js';
import { Passkeys } from './passkeys.js';
import { Sessions } from './sessions.js';

const TABS = ['profile', 'security', 'preferences'] as const;

/** Settings of the user's account and of this browser. */
export function Component() {
  const { tab } = useParams();
  if (!TABS.some((each) => each === tab)) return <Navigate to="/settings/profile" replace />;
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
    </SettingsFrame>
  );
}
