import { findTestPath } from '#catalogue';
import type { Service, TestServiceResult } from '#contracts';
import { Button, Group, Loader, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { Callout } from '../../components/notices.js';
import { askedRequest } from '../../lib/asked-request.js';
import { failure } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';
import { testService } from './api.js';
import { messages } from './messages.js';

interface Props {
  service: Service;
  initialPath?: string;
  runAtOnce?: boolean;
}

/**
 * Tests the stored credentials with one real request. The result can be uncertain, which is not a failure. The service
 * remembers a rejection.
 */
export function ConnectionTest({ service, initialPath, runAtOnce = false }: Props) {
  const [path, setPath] = useState(initialPath || (findTestPath(service.baseUrl) ?? ''));
  const queryClient = useQueryClient();
  const test = useMutation({
    mutationFn: (asked: string) => testService(service, asked),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.services.all }),
  });
  const started = useRef(false);
  const id = useId();
  useEffect(() => {
    if (!runAtOnce || started.current) return;
    started.current = true;
    test.mutate(path);
  }, [runAtOnce, test, path]);
  const bad = path !== '' && !path.startsWith('/');
  return (
    <form
      aria-labelledby={id}
      onSubmit={(event) => {
        event.preventDefault();
        if (!bad) test.mutate(path);
      }}
    >
      <Stack>
        <div>
          <Title id={id} order={2} size="h3">
            {messages.test.title}
          </Title>
          <Text c="dimmed" size="sm">
            {messages.test.lead}
          </Text>
        </div>
        <Group gap="sm" align="flex-end">
          <TextInput
            flex="1 1 200px"
            maw={420}
            label={messages.test.path}
            placeholder={messages.test.pathPlaceholder}
            classNames={{ input: 'mono' }}
            autoComplete="off"
            spellCheck={false}
            value={path}
            error={bad ? messages.test.badPath : undefined}
            onChange={(event) => setPath(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={test.isPending} disabled={bad}>
            {messages.test.run}
          </Button>
        </Group>
        <div role="status">
          {test.isPending ? (
            <Callout tone="info">
              <Loader size={14} /> {messages.test.running}
            </Callout>
          ) : test.isError ? (
            <Callout tone="danger">{failure(test.error).message}</Callout>
          ) : (
            test.data && (
              <Callout tone={testTone(test.data)}>
                {formatResult(test.data)}{' '}
                <span className="anywhere">{messages.test.asked(askedRequest(service.baseUrl, test.variables))}</span>
              </Callout>
            )
          )}
        </div>
      </Stack>
    </form>
  );
}

export function testTone({ status, reason, clientSecret }: TestServiceResult): 'success' | 'warning' | 'danger' {
  if (status === 401 || status === 403 || clientSecret === 'rejected') return 'danger';
  // Only the OAuth provider was asked, and it accepted the secret.
  if (status === null && reason === null) return 'success';
  return status !== null && status < 400 ? 'success' : 'warning';
}

function formatResult({ status, durationMs, reason }: TestServiceResult): string {
  if (status === null) return messages.test.unreachable(reason ?? '');
  if (status === 401 || status === 403) return messages.test.refused(status);
  return status < 400 ? messages.test.works(status, durationMs) : messages.test.odd(status);
}
