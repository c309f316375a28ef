import type { Agent, Service } from '#contracts';
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { Icon } from '../../components/icon.js';
import { Loaded } from '../../components/loaded.js';
import { Callout } from '../../components/notices.js';
import { Card } from '../../components/page.js';
import { failure } from '../../lib/http.js';
import { servicesQuery } from '../../lib/queries.js';
import { showDone } from '../../lib/toasts.js';
import { scopeDiff, type ScopeChange } from './scope-diff.js';
import classes from './agents.module.css';
import { replaceScope } from './api.js';
import { messages } from './messages.js';
import { ScopePicker } from './scope-picker.js';

const text = messages.access;

/** The agent's services: the selection on one side, the changes that saving would make on the other. */
export function AccessTab({ agent }: { agent: Agent }) {
  const services = useQuery(servicesQuery);
  return <Loaded query={services}>{(all) => <Editor key={agent.updatedAt} agent={agent} services={all} />}</Loaded>;
}

function Editor({ agent, services }: { agent: Agent; services: Service[] }) {
  const [search, setSearch] = useSearchParams();
  const queryClient = useQueryClient();
  const before = new Set(agent.services.map(({ id }) => id));
  const [chosen, setChosen] = useState(() => {
    const added = services.find(({ id }) => String(id) === search.get('add'));
    return added ? new Set([...before, added.id]) : before;
  });
  const changes = scopeDiff(services, before, chosen);
  const changed = changes.some(({ change }) => change !== 'keeps');
  const save = useMutation({
    mutationFn: () => replaceScope(agent.id, [...chosen]),
    onSuccess: () => {
      showDone(text.saved);
      setSearch({}, { replace: true });
      void queryClient.invalidateQueries({ queryKey: ['audit', 'usage'] });
      return queryClient.invalidateQueries({ queryKey: ['agents'] });
    },
  });
  return (
    <>
      <p className={classes.lead}>{text.lead}</p>
      <div className={classes.halves}>
        <ScopePicker services={services} chosen={chosen} onChange={setChosen} />
        <section aria-labelledby="after">
          <h2 id="after" className={classes.legend}>
            {text.now}
          </h2>
          <Card padded={false}>
            <ul className={classes.diff} aria-live="polite">
              {changes.map((change) => (
                <DiffLine key={change.service.id} {...change} />
              ))}
            </ul>
          </Card>
          <div className={classes.save}>
            {chosen.size === 0 && <Callout tone="warning">{text.none}</Callout>}
            <div role="alert">{save.isError && <Callout tone="danger">{failure(save.error).message}</Callout>}</div>
            <div className={classes.row}>
              <Button disabled={!changed || chosen.size === 0} loading={save.isPending} onClick={() => save.mutate()}>
                {text.save}
              </Button>
              <Button variant="default" disabled={!changed} onClick={() => setChosen(before)}>
                {text.undo}
              </Button>
              {!changed && <span className={classes.dim}>{text.unchanged}</span>}
            </div>
          </div>
        </section>
      </div>
    </>
  );
}

function DiffLine({ service, change }: ScopeChange) {
  return (
    <li className={classes.diffLine} data-change={change}>
      <Icon name={change === 'gains' ? 'plus' : change === 'loses' ? 'cross' : 'check'} size={16} />
      <span>{service.name}</span>
      <span className={classes.diffWord}>{text[change]}</span>
    </li>
  );
}
