import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useHasNoWorkspace, useMay, useRole } from '../lib/workspace.js';
import { Page } from './page.js';
import { PageTabs } from './page-tabs.js';
import { settingsMessages } from './settings-messages.js';

const TABS = ['profile', 'security', 'notifications', 'preferences', 'tokens', 'members', 'workspace', 'file'] as const;
const OWN = ['profile', 'security', 'preferences'] as const;

/** The page of all settings: of the account, of this browser and of the workspace. */
export function SettingsFrame({ children }: { children: ReactNode }) {
  const mayImport = useMay('admin');
  // Auditors decide nothing, so they get no notifications. Without a workspace there is the account, and this browser.
  const isAuditor = useRole() === 'auditor';
  const tabs = useHasNoWorkspace()
    ? OWN
    : TABS.filter((each) => (each === 'notifications' ? !isAuditor : each !== 'file' || mayImport));
  return (
    // Only the tabs need the width of the page.
    <Page title={settingsMessages.title}>
      <PageTabs
        label={settingsMessages.title}
        tabs={tabs.map((each) => ({
          to: `/settings/${each}`,
          label: settingsMessages.tabs[each],
        }))}
      />
      <Stack gap="xl" maw={752}>
        {children}
      </Stack>
    </Page>
  );
}
