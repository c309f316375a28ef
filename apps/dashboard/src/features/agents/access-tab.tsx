import type { Agent, Service } from '#contracts';
import { Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormError } from '../../components/form-foot.js';
import { Icon } from '../../components/icon.js';
import { Loaded } from '../../components/loaded.js';
import { NameCell } from '../../components/list-page.js';
import { Callout, EmptyState } from '../../components/notices.js';
import { Card } from '../../components/page.js';
import { Rows } from '../../components/rows.js';
import { servicesQuery } from '../../lib/queries.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone } from '../../lib/toasts.js';
import { useMay } from '../../lib/workspace.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { scopeDiff, type ScopeChange } from './scope-diff.js';
import classes from './access-tab.module.css';
import { replaceScope } from './api.js';
import { messages } from './messages.js';
import { ScopePicker } from './scope-picker.js';

const text = messages.access;

/**
 * The agent's services. For administrators: the selection on one side, the changes that saving would make on the other.
 */
export function AccessTab({ agent }: { agent: Agent }) {
  const services = useQuery(servicesQuery);
  const may = useMay('admin');
  return (
    <Loaded query={services}>
      {(all) =>
        may ? <Editor key={agent.updatedAt} agent={agent} services={all} /> : <Scope agent={agent} services={all} />
      }
    </Loaded>
  );
}

function Scope({ agent, services }: { agent: Agent; services: Service[] }) {
  const granted = services.filter(({ id }) => agent.services.some((each) => each.id === id));
  if (granted.length === 0) return <EmptyState icon="services" title={messages.snippets.noServices} />;
  return (
    <Card padded={false}>
      <Rows>
        {granted.map(({ id, name, baseUrl }) => (
          <li key={id}>
            <NameCell to={`/services/${id}`} name={name} identity={`${baseUrl.replace(/\/+$/, '')}/*`} />
          </li>
        ))}
      </Rows>
    </Card>
  );
}

function Editor({ agent, services }: { agent: Agent; services: Service[] }) {
  const queryClient = useQueryClient();
  const before = new Set(agent.services.map(({ id }) => id));
  const [chosen, setChosen] = useState(before);
  const changes = scopeDiff(services, before, chosen);
  const changed = changes.some(({ change }) => change !== 'keeps');
  useUnsaved(changed);
  const save = useMutation({
    mutationFn: () => replaceScope(agent.id, [...chosen]),
    onSuccess: () => {
      showDone(text.saved);
      void queryClient.invalidateQueries({ queryKey: queryKeys.audit.usage });
      return queryClient.invalidateQueries({ queryKey: queryKeys.agents.all });
    },
  });
  return (
    <>
      <Text c="dimmed">{text.lead}</Text>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <ScopePicker services={services} chosen={chosen} onChange={setChosen} />
        <section aria-labelledby="after">
          <Title id="after" order={2} size="sm" mb="sm">
            {text.now}
          </Title>
          <Card padded={false}>
            <Rows aria-live="polite">
              {changes.map((change) => (
                <DiffLine key={change.service.id} {...change} />
              ))}
            </Rows>
          </Card>
          <Stack gap="sm" mt="md">
            {chosen.size === 0 && <Callout tone="warning">{text.none}</Callout>}
            <FormError error={save.error} />
            <Group gap="sm">
              <Button disabled={!changed || chosen.size === 0} loading={save.isPending} onClick={() => save.mutate()}>
                {text.save}
              </Button>
              <Button variant="default" disabled={!changed} onClick={() => setChosen(before)}>
                {text.undo}
              </Button>
              {!changed && (
                <Text span c="dimmed" size="sm">
                  {text.unchanged}
                </Text>
              )}
            </Group>
          </Stack>
        </section>
      </SimpleGrid>
    </>
  );
}

function DiffLine({ service, change }: ScopeChange) {
  return (
    <li className={classes.line} data-change={change}>
      <Group gap={10} wrap="nowrap">
        <Icon name={change === 'gains' ? 'plus' : change === 'loses' ? 'cross' : 'check'} size={16} />
        <Text span inherit flex={1} miw={0} className={classes.name} translate="no">
          {service.name}
        </Text>
        <Text span size="sm" fw={600}>
          {text[change]}
        </Text>
      </Group>
    </li>
  );
}
