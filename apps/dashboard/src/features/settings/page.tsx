import { Navigate, useParams } from 'react-router';
import { Page } from '../../components/page.js';
import { PageTabs } from '../../components/page-tabs.js';
import { messages } from './messages.js';
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
    <Page title={messages.title} width="text">
      <PageTabs
        label={messages.tabs.label}
        tabs={TABS.map((each) => ({ to: `/settings/${each}`, label: messages.tabs[each] }))}
      />
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
    </Page>
  );
}
