import type { Role } from '#contracts';
import { useQuery } from '@tanstack/react-query';
import type { IconName } from '../components/icon.js';
import { sharedMessages } from '../lib/messages.js';
import { statusQuery } from '../lib/queries.js';
import { READERS, useHasNoWorkspace, useRole } from '../lib/workspace.js';

/** The main pages. The rail, the tab bar, the palette and the `g` shortcuts use this list. */
export interface NavigationItem {
  to: string;
  label: string;
  icon: IconName;
  letter?: string;
  /** The roles that the page is for. Default: everybody. */
  roles?: readonly Role[];
}

export const ADMINS: readonly Role[] = ['admin', 'owner'];

const navigation: readonly NavigationItem[] = [
  { to: '/approvals', label: sharedMessages.nav.approvals, icon: 'approvals', letter: 'a' },
  { to: '/history', label: sharedMessages.nav.history, icon: 'history', letter: 'h' },
  { to: '/services', label: sharedMessages.nav.services, icon: 'services', letter: 's' },
  { to: '/agents', label: sharedMessages.nav.agents, icon: 'agents', letter: 'g', roles: READERS },
  { to: '/attention', label: sharedMessages.nav.attention, icon: 'warning', roles: ADMINS },
  { to: '/playground', label: sharedMessages.nav.playground, icon: 'playground', letter: 'p', roles: ADMINS },
  { to: '/settings', label: sharedMessages.nav.settings, icon: 'settings', letter: 't' },
  { to: '/status', label: sharedMessages.nav.status, icon: 'status' },
];

/** The pages in the tab bar. The rest are under More. */
export const TAB_BAR_ITEMS = 4;

/** The pages of a person without a workspace. The first one says what to do. */
const WITHOUT_WORKSPACE = ['/approvals', '/settings', '/status'];

/** The pages that this person can open. Only installation administrators see the status. */
export function useNavigation(): readonly NavigationItem[] {
  const { data } = useQuery(statusQuery);
  const role = useRole();
  const hasNone = useHasNoWorkspace();
  return navigation.filter(
    ({ to, roles }) =>
      (data !== null || to !== '/status') &&
      (hasNone ? WITHOUT_WORKSPACE.includes(to) : role === null || !roles || roles.includes(role)),
  );
}
