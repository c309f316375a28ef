import type { Service } from '#contracts';
import { Button, Group, SimpleGrid, Title } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { recordQuery } from '../../lib/audit-records.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, ErrorCard } from '../../components/notices.js';
import { Card, Page } from '../../components/page.js';
import { RowsSkeleton } from '../../components/skeletons.js';
import { useShortcuts } from '../../lib/keyboard.js';
import { servicesQuery } from '../../lib/queries.js';
import { showDone } from '../../lib/toasts.js';
import { assess, toTrial } from './api.js';
import { LoadMenu } from './load-menu.js';
import { messages } from './messages.js';
import { AssessmentView } from './assessment.js';
import { readHash, toHash, toRequest, type Trial } from './trial.js';
import { TrialForm } from './trial-form.js';

/** Assesses the risk of a request without sending it. */
export function Component() {
  const query = useQuery(servicesQuery);
  return (
    <Page title={messages.title} lead={messages.lead} width="wide">
      <Loaded query={query}>
        {(services) =>
          services.length === 0 ? (
            <EmptyState
              icon="services"
              title={messages.noServices}
              action={
                <Button component={Link} to="/services/new">
                  {messages.addService}
                </Button>
              }
            />
          ) : (
            <Playground services={services} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Playground({ services }: { services: Service[] }) {
  const fromHash = (): Trial => {
    const read = readHash(location.hash);
    return services.some(({ id }) => id === read.service) ? read : { ...read, service: services[0]!.id };
  };
  const [trial, setTrial] = useState(fromHash);
  // The user opened a link to another trial on this page.
  useWindowEvent('hashchange', () => setTrial(fromHash()));
  const service = services.find(({ id }) => id === trial.service) ?? services[0]!;
  const request = toRequest(trial, service.baseUrl);
  const result = useRef<HTMLElement>(null);
  // On phones, the result is below the form.
  const judge = useMutation({
    mutationFn: assess,
    onSettled: () => requestAnimationFrame(() => result.current?.scrollIntoView({ block: 'nearest' })),
  });
  const run = () => {
    if (request) judge.mutate(request);
  };
  // Servers never receive the hash. It is set without the router, which would treat it as a new page.
  useEffect(() => {
    const timer = setTimeout(
      () => history.replaceState(history.state, '', location.pathname + location.search + toHash(trial)),
      200,
    );
    return () => clearTimeout(timer);
  }, [trial]);
  const load = (loaded: Trial) => {
    setTrial(loaded);
    judge.reset();
    showDone(messages.loaded);
  };
  useRecord(services, load);
  useShortcuts(messages.keys.scope, [{ keys: 'Mod+Enter', label: messages.keys.run, run, always: true }]);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Card>
        <Group justify="space-between" mb="md">
          <Title order={2} size="h4">
            {messages.form}
          </Title>
          <LoadMenu services={services} load={load} />
        </Group>
        <TrialForm
          trial={trial}
          services={services}
          service={service}
          ready={request !== null}
          busy={judge.isPending}
          onChange={setTrial}
          run={run}
        />
      </Card>
      <section ref={result} aria-label={messages.result} aria-live="polite" aria-busy={judge.isPending}>
        <Card>
          {judge.isPending ? (
            <RowsSkeleton rows={4} />
          ) : judge.isError ? (
            <ErrorCard error={judge.error} title={messages.failedTitle} retry={request ? run : undefined} />
          ) : judge.data ? (
            <AssessmentView assessment={judge.data} hasAgent={judge.variables.agentId !== undefined} />
          ) : (
            <EmptyState icon="playground" title={messages.empty} />
          )}
        </Card>
      </section>
    </SimpleGrid>
  );
}

/** Links from the history have `?record=`. */
function useRecord(services: readonly Service[], load: (trial: Trial) => void): void {
  const [search, setSearch] = useSearchParams();
  const id = search.get('record');
  const { data } = useQuery({ ...recordQuery(id ?? ''), enabled: id !== null });
  const done = useRef<string | null>(null);
  useEffect(() => {
    if (!data || done.current === data.id) return;
    done.current = data.id;
    void toTrial(data, services).then((trial) => {
      if (trial) load(trial);
      setSearch({}, { replace: true });
    });
  });
}
