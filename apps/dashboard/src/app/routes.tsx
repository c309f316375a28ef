import { createBrowserRouter, Navigate, redirect, type RouteObject } from 'react-router';
import { startSession } from '../lib/session.js';
import { NotFound, RouteFailure } from './failures.js';
import { RequireSession } from './require-session.js';
import { Shell } from './shell.js';

/** Every page is its own chunk. A module exports its page as `Component`. */
const pages: RouteObject[] = [
  { path: '/', element: <Navigate to="/approvals" replace /> },
  { path: '/a/:actionId', loader: ({ params }) => redirect(`/approvals/${params.actionId!}`) },
  { path: '*', element: <NotFound /> },
];

let started: Promise<void> | null = null;

/** The session is looked up once, before the first page; a failure shows with a way to try again. */
async function start(): Promise<null> {
  started ??= startSession().catch((error: unknown) => {
    started = null;
    throw error;
  });
  await started;
  return null;
}

export const router = createBrowserRouter(
  [
    {
      loader: start,
      shouldRevalidate: () => false,
      errorElement: <RouteFailure />,
      HydrateFallback: () => null,
      children: [
        { path: '/login', lazy: () => import('../features/accounts/login-page.js') },
        {
          element: (
            <RequireSession>
              <Shell />
            </RequireSession>
          ),
          children: [{ errorElement: <RouteFailure />, children: pages }],
        },
      ],
    },
  ],
  { basename: '/dashboard' },
);
