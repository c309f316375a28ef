import type { ActionSummaryPage } from '#contracts';
import { useQuery } from '@tanstack/react-query';
import type { IconName } from '../components/icon.js';
import { get } from '../lib/http.js';
import { agentsQuery, servicesQuery, workspacesQuery } from '../lib/queries.js';
import { queryKeys } from '../lib/query-keys.js';
import { roleMessages } from '../lib/role-messages.js';
import { spelledOut } from '../lib/text-safety.js';
import { workspaceId, workspaceUrl } from '../lib/workspace-choice.js';
import { useMay, useReads } from '../lib/workspace.js';
import { useNavigation } from './navigation.js';
import { paletteMessages } from './palette-messages.js';

/** Opens a dialog instead of a page. */
export const CREATE_WORKSPACE = '#create-workspace';

/** A line of the palette. */
export interface Entry {
  /** A page, or CREATE_WORKSPACE. */
  to: string;
  /** The page must load again, because the workspace changes. */
  reload?: boolean;
  label: string;
  group: string;
  icon: IconName;
}

const CREATE: Entry[] = [
  { to: '/services/new', label: paletteMessages.newService, icon: 'plus', group: paletteMessages.create },
  { to: '/agents/new', label: paletteMessages.newAgent, icon: 'plus', group: paletteMessages.create },
];
const NOTIFICATIONS: Entry = {
  to: '/settings/notifications',
  label: paletteMessages.notifications,
  icon: 'note',
  group: paletteMessages.go,
};
const WORKSPACE: Entry = {
  to: CREATE_WORKSPACE,
  label: roleMessages.workspace.create,
  icon: 'plus',
  group: paletteMessages.create,
};
const PER_GROUP = 6;

/** The entries that the palette offers for the typed text. */
export function useEntries(text: string): Entry[] {
  const wanted = text.trim().toLowerCase();
  const pages = useNavigation();
  const mayCreate = useMay('admin');
  const decides = useMay('approver');
  const reader = useReads();
  const { data: agents = [] } = useQuery({ ...agentsQuery, enabled: reader });
  const { data: services = [] } = useQuery(servicesQuery);
  const { data: actions } = useQuery({
    queryKey: queryKeys.approvals.found(wanted),
    queryFn: ({ signal }) =>
      get<ActionSummaryPage>('/approvals', { q: wanted || undefined, limit: PER_GROUP, view: 'summary' }, signal),
  });
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const matches = (label: string) => label.toLowerCase().includes(wanted);
  return [
    ...pages
      .map(({ to, label, icon }): Entry => ({ to, label, icon, group: paletteMessages.go }))
      .concat(decides ? NOTIFICATIONS : [], mayCreate ? CREATE : [], WORKSPACE)
      .filter(({ label }) => matches(label)),
    ...workspaces
      .filter(({ id, name }) => id !== workspaceId() && matches(name))
      .slice(0, PER_GROUP)
      .map(({ id, name }) => ({
        to: workspaceUrl(id),
        reload: true,
        label: name,
        group: paletteMessages.workspaces,
        icon: 'forward' as const,
      })),
    ...agents
      .filter(({ name }) => matches(name))
      .slice(0, PER_GROUP)
      .map(({ id, name }) => ({
        to: `/agents/${id}`,
        label: name,
        group: paletteMessages.agents,
        icon: 'agents' as const,
      })),
    ...services
      .filter(({ name }) => matches(name))
      .slice(0, PER_GROUP)
      .map(({ id, name }) => ({
        to: reader ? `/services/${id}` : `/services?q=${encodeURIComponent(name)}`,
        label: name,
        group: paletteMessages.services,
        icon: 'services' as const,
      })),
    // They are last, because they arrive later than the others and must not move the entry that Enter opens.
    ...(actions?.items ?? []).map((action) => ({
      to: `/approvals/${action.action_id}`,
      label: `${spelledOut(action.headline)} · ${action.service.name}`,
      group: paletteMessages.waiting,
      icon: 'approvals' as const,
    })),
  ];
}
