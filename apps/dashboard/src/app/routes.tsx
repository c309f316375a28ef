import { lazy, Suspense, type ComponentType } from 'react';
import { BrowserRouter, Navigate, Route, Routes, useParams } from 'react-router';
import { PageSkeleton } from '../components/Skeletons.js';
import { ErrorBoundary } from './error-boundary.js';
import { NotFound } from './not-found.js';
import { RequireSession, SessionStart } from './require-session.js';
import { Shell } from './shell.js';

/** Every page is its own chunk; its module exports it as `Component`. */
const page = (load: () => Promise<{ Component: ComponentType }>) =>
  lazy(() => load().then(({ Component }) => ({ default: Component })));

const Approvals = page(() => import('../features/approvals/page.js'));
const Services = page(() => import('../features/services/page.js'));
const NewService = page(() => import('../features/services/new-page.js'));
const Service = page(() => import('../features/services/service-page.js'));
const Agents = page(() => import('../features/agents/page.js'));
const NewAgent = page(() => import('../features/agents/new-page.js'));
const Agent = page(() => import('../features/agents/agent-page.js'));
const History = page(() => import('../features/history/page.js'));
const Playground = page(() => import('../features/playground/page.js'));
const Settings = page(() => import('../features/settings/page.js'));
const Status = page(() => import('../features/status/page.js'));
const Login = page(() => import('../features/accounts/login-page.js'));
const Setup = page(() => import('../features/setup/page.js'));

/** The declarative router: the data router weighs as much again, and TanStack Query does its work. */
export function AppRoutes() {
  return (
    <BrowserRouter basename="/dashboard">
      <ErrorBoundary>
        <SessionStart>
          <Suspense fallback={<PageSkeleton />}>
            <Routes>
              <Route path="/login" element={<Login />} />
              <Route path="/setup" element={<Setup />} />
              <Route
                element={
                  <RequireSession>
                    <Shell />
                  </RequireSession>
                }
              >
                <Route path="/" element={<Navigate to="/approvals" replace />} />
                <Route path="/approvals/:actionId?" element={<Approvals />} />
                <Route path="/a/:actionId" element={<ShortLink />} />
                <Route path="/history" element={<History />} />
                <Route path="/services" element={<Services />} />
                <Route path="/services/new" element={<NewService />} />
                <Route path="/services/:serviceId/:tab?" element={<Service />} />
                <Route path="/agents" element={<Agents />} />
                <Route path="/agents/new" element={<NewAgent />} />
                <Route path="/agents/:agentId/:tab?" element={<Agent />} />
                <Route path="/playground" element={<Playground />} />
                <Route path="/settings/:tab?" element={<Settings />} />
                <Route path="/status" element={<Status />} />
                <Route path="*" element={<NotFound />} />
              </Route>
            </Routes>
          </Suspense>
        </SessionStart>
      </ErrorBoundary>
    </BrowserRouter>
  );
}

/** `/a/:id` is what notifications link to. */
function ShortLink() {
  const { actionId } = useParams();
  return <Navigate to={`/approvals/${encodeURIComponent(actionId!)}`} replace />;
}
