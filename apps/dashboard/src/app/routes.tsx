import { lazy, Suspense, type ComponentType } from 'react';
import { BrowserRouter, Navigate, Route, Routes, useParams } from 'react-router';
import { PageSkeleton } from '../components/skeletons.js';
import { ErrorBoundary } from './error-boundary.js';
import { ADMINS } from './navigation.js';
import { READERS } from '../lib/workspace.js';
import { NotFound } from './not-found.js';
import { Only } from './only.js';
import { PageNotLoaded } from './page-not-loaded.js';
import { RequireSession, SessionStart } from './require-session.js';
import { Shell } from './shell.js';
import { ToastList } from './toast-list.js';

/** Each page is a separate chunk whose module exports `Component`. */
const page = (load: () => Promise<{ Component: ComponentType }>) =>
  lazy(() =>
    load().then(
      ({ Component }) => ({ default: Component }),
      (cause: unknown) => {
        throw new PageNotLoaded('page not loaded', { cause });
      },
    ),
  );

/** The pages, by the first segment of the path. */
const pages = {
  approvals: () => import('../features/approvals/page.js'),
  services: () => import('../features/services/page.js'),
  agents: () => import('../features/agents/page.js'),
  history: () => import('../features/history/page.js'),
  attention: () => import('../features/attention/page.js'),
  playground: () => import('../features/playground/page.js'),
  settings: () => import('../features/settings/page.js'),
  status: () => import('../features/status/page.js'),
  login: () => import('../features/accounts/login-page.js'),
  setup: () => import('../features/setup/page.js'),
  invitations: () => import('../features/accounts/invitation-page.js'),
};

/** Loads the code of the page while the session is restored. The route reports a failure. */
export function preload(path: string): void {
  const [name = ''] = path.split('/').filter((part) => part !== 'dashboard' && part !== '');
  const load = Object.entries({ ...pages, '': pages.approvals, a: pages.approvals }).find(([key]) => key === name)?.[1];
  load?.().catch(() => {});
}

const Approvals = page(pages.approvals);
const Services = page(pages.services);
const NewService = page(() => import('../features/services/new-page.js'));
const Service = page(() => import('../features/services/service-page.js'));
const Agents = page(pages.agents);
const NewAgent = page(() => import('../features/agents/new-page.js'));
const Agent = page(() => import('../features/agents/agent-page.js'));
const History = page(pages.history);
const Attention = page(pages.attention);
const Playground = page(pages.playground);
const Settings = page(pages.settings);
const Notifications = page(() => import('../features/channels/page.js'));
const Members = page(() => import('../features/workspaces/members-page.js'));
const Tokens = page(() => import('../features/workspaces/tokens-page.js'));
const WorkspaceSettings = page(() => import('../features/workspaces/workspace-page.js'));
const Status = page(pages.status);
const Login = page(pages.login);
const Setup = page(pages.setup);
const Invitation = page(pages.invitations);

/** The declarative router. The data router would double its size, and TanStack Query already loads the data. */
export function AppRoutes() {
  return (
    <BrowserRouter basename="/dashboard">
      <ErrorBoundary>
        <SessionStart>
          <Suspense fallback={<PageSkeleton />}>
            <Routes>
              <Route path="/login" element={<Login />} />
              <Route path="/setup" element={<Setup />} />
              <Route path="/invitations" element={<Invitation />} />
              <Route
                element={
                  <RequireSession login={<Login />}>
                    <Shell />
                  </RequireSession>
                }
              >
                <Route path="/" element={<Navigate to="/approvals" replace />} />
                <Route path="/approvals/:actionId?" element={<Approvals />} />
                <Route path="/a/:actionId" element={<ShortLink />} />
                <Route path="/history" element={<History />} />
                <Route path="/history/requests/:actionId" element={<Approvals />} />
                <Route path="/services" element={<Services />} />
                <Route element={<Only roles={READERS} />}>
                  <Route path="/services/:serviceId/:tab?" element={<Service />} />
                  <Route path="/agents" element={<Agents />} />
                  <Route path="/agents/:agentId/:tab?" element={<Agent />} />
                </Route>
                <Route element={<Only roles={ADMINS} />}>
                  <Route path="/services/new" element={<NewService />} />
                  <Route path="/agents/new" element={<NewAgent />} />
                  <Route path="/attention" element={<Attention />} />
                  <Route path="/playground" element={<Playground />} />
                </Route>
                <Route path="/settings/notifications" element={<Notifications />} />
                <Route path="/settings/members" element={<Members />} />
                <Route path="/settings/tokens" element={<Tokens />} />
                <Route path="/settings/workspace" element={<WorkspaceSettings />} />
                <Route path="/settings/:tab?" element={<Settings />} />
                <Route path="/status" element={<Status />} />
                <Route path="*" element={<NotFound />} />
              </Route>
            </Routes>
          </Suspense>
        </SessionStart>
      </ErrorBoundary>
      <ToastList />
    </BrowserRouter>
  );
}

/** Notifications link to `/a/:id`. */
function ShortLink() {
  const { actionId } = useParams();
  return <Navigate to={`/approvals/${encodeURIComponent(actionId!)}`} replace />;
}
