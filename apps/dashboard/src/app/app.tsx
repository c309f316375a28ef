import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useEffect } from 'react';
import { failure } from '../lib/http.js';
import { isPageKept, onSession, sessionState } from '../lib/session.js';
import { Announcer } from './announcer.js';
import { ConfirmationHost } from './confirmation-host.js';
import { followLive } from './live-queries.js';
import { AppRoutes } from './routes.js';
import { cssVariables, theme } from './theme.js';

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Retry only when there was no response, or a 5xx. After a 4xx, a retry would fail again.
      retry: (count, error) => count < 2 && [0, 502, 503, 504].includes(failure(error).status),
      refetchOnWindowFocus: true,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

// The next account must not see data of the last one. A page with input needs its data, and another person never sees it.
onSession(() => {
  if (isPageKept()) void (sessionState() === 'active' && queryClient.invalidateQueries());
  else if (sessionState() === 'ended') queryClient.clear();
});

export function App() {
  useEffect(() => followLive(queryClient), []);
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <AppRoutes />
        <ConfirmationHost />
        <Announcer />
      </QueryClientProvider>
    </MantineProvider>
  );
}
