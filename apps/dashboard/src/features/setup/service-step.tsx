import type { Service, TestServiceResult } from '#contracts';
import { Button, Divider, Group, Loader, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { Callout, ErrorCard } from '../../components/notices.js';
import { ConnectApi } from '../../components/service-form/connect-api.js';
import { useConnect } from '../../components/service-form/use-connect.js';
import { loadDemoData } from '../../lib/demo-data.js';
import { post } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showFailure } from '../../lib/toasts.js';
import { messages } from './messages.js';

interface Props {
  made: { service: Service; testPath: string | null } | null;
  onMade: (made: { service: Service; testPath: string | null }) => void;
}

/** Saves the first service, then tests it with one real request. */
export function ServiceStep({ made, onMade }: Props) {
  const queryClient = useQueryClient();
  const connect = useConnect(({ service, problems }, { testPath }) => {
    for (const problem of problems) showFailure(new Error(messages.service.problem(problem)));
    onMade({ service, testPath });
    void queryClient.invalidateQueries({ queryKey: queryKeys.services.all });
  });
  if (made) return <TestResult service={made.service} testPath={made.testPath} />;
  return (
    <>
      <ConnectApi submitLabel={messages.service.submit} connect={connect} />
      <DemoData />
    </>
  );
}

/** Loads demo data, so that users can see a filled inbox without an API. */
function DemoData() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const load = useMutation({
    mutationFn: loadDemoData,
    onSuccess: () => navigate('/approvals'),
    onError: showFailure,
    onSettled: () => queryClient.invalidateQueries(),
  });
  return (
    <>
      <Divider my="lg" />
      <Group>
        <Text span c="dimmed">
          {messages.service.demo}
        </Text>
        <Button variant="default" size="xs" loading={load.isPending} onClick={() => load.mutate()}>
          {messages.service.loadDemo}
        </Button>
      </Group>
    </>
  );
}

function TestResult({ service, testPath }: { service: Service; testPath: string | null }) {
  const test = useQuery({
    queryKey: queryKeys.services.test(service.id),
    queryFn: () => post<TestServiceResult>(`/services/${service.id}/test`, testPath ? { path: testPath } : {}),
    staleTime: Infinity,
    retry: false,
  });
  if (test.isError) return <ErrorCard error={test.error} retry={() => void test.refetch()} />;
  const { data } = test;
  return (
    <Stack gap="lg">
      <div>{messages.service.saved(service.name)}</div>
      {!data || test.isFetching ? (
        <Callout tone="info">
          <Loader size={14} /> {messages.service.testing}
        </Callout>
      ) : (
        <>
          <Callout tone={toTone(data)}>{formatResult(data)}</Callout>
          {toTone(data) !== 'success' && (
            <Button variant="default" w="fit-content" onClick={() => void test.refetch()}>
              {messages.service.again}
            </Button>
          )}
        </>
      )}
    </Stack>
  );
}

/** An uncertain test is not a failure. */
function toTone({ status }: TestServiceResult): 'success' | 'warning' | 'danger' {
  if (status === null) return 'warning';
  if (status === 401 || status === 403) return 'danger';
  return status < 400 ? 'success' : 'warning';
}

function formatResult({ status, durationMs, reason }: TestServiceResult): string {
  if (status === null) return messages.service.unreachable(reason ?? '');
  if (status === 401 || status === 403) return messages.service.refused(status);
  return status < 400 ? messages.service.works(status, durationMs) : messages.service.odd(status);
}
