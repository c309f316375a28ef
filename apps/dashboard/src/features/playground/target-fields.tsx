import type { Service } from '#contracts';
import { HTTP_METHODS, type HttpMethod } from '#contracts/states';
import { Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useMemo } from 'react';
import { pathsQuery } from './api.js';
import { messages } from './messages.js';
import type { Trial } from './trial.js';

interface Props {
  trial: Trial;
  service: Service;
  set: (change: Partial<Trial>) => void;
}

const COMPLETIONS = 200;

/** Method and path of the request. The suggestions come from the documentation of the service. */
export function TargetFields({ trial, service, set }: Props) {
  const { data: operations = [] } = useQuery(pathsQuery(service.id));
  const list = useId();
  const paths = useMemo(
    () => [
      ...new Set(
        operations.filter(({ method, path }) => method === trial.method && path !== '').map(({ path }) => path),
      ),
    ],
    [operations, trial.method],
  );
  return (
    <>
      <Group align="flex-start" wrap="nowrap">
        <NativeSelect
          w={112}
          flex="none"
          label={messages.method}
          value={trial.method}
          data={[...HTTP_METHODS]}
          onChange={(event) => set({ method: event.currentTarget.value as HttpMethod })}
        />
        <TextInput
          flex={1}
          miw={0}
          label={messages.path}
          classNames={{ input: 'mono' }}
          list={list}
          autoComplete="off"
          spellCheck={false}
          value={trial.path}
          onChange={(event) => set({ path: event.currentTarget.value })}
        />
        <datalist id={list}>
          {paths.slice(0, COMPLETIONS).map((path) => (
            <option key={path} value={path} />
          ))}
        </datalist>
      </Group>
      <Text c="dimmed" size="sm" mt={-8} style={{ overflowWrap: 'anywhere' }}>
        {messages.pathHint}:{' '}
        <span className="mono" translate="no">
          {service.baseUrl}
        </span>
      </Text>
    </>
  );
}
