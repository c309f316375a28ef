import type { Agent } from '#contracts';
import { AGENT_NAME_MAX, AGENT_NAME_MIN } from '#contracts/limits';
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { Callout } from '../../components/notices.js';
import { Card, Section } from '../../components/page.js';
import { Terms } from '../../components/terms.js';
import { Moment, RelativeTime } from '../../components/time.js';
import { failure } from '../../lib/http.js';
import { messages as shared } from '../../lib/messages.js';
import { agentUsageQuery } from '../../lib/queries.js';
import { showDone } from '../../lib/toasts.js';
import classes from './agents.module.css';
import { updateAgent } from './api.js';
import { DangerZone } from './danger-zone.js';
import { KeyCard } from './key-card.js';
import { messages } from './messages.js';
import { RequestedHost } from './requested-host.js';
import { SubmitButton } from '../../components/submit-button.js';

const text = messages.overview;

/** The agent's properties, activity and key. */
export function OverviewTab({ agent }: { agent: Agent }) {
  const [renaming, setRenaming] = useState(false);
  const usage = useQuery(agentUsageQuery([agent.id])).data?.at(0);
  return (
    <div className={classes.parts}>
      <RequestedHost agent={agent} />
      <div className={classes.columns}>
        <Section
          title={text.about}
          actions={
            !renaming && (
              <Button size="xs" variant="default" onClick={() => setRenaming(true)}>
                {text.rename}
              </Button>
            )
          }
        >
          <Card>
            {renaming ? (
              <Rename agent={agent} close={() => setRenaming(false)} />
            ) : (
              <Terms
                items={[
                  [text.lastUsed, agent.lastUsedAt ? <RelativeTime at={agent.lastUsedAt} /> : messages.never],
                  [
                    text.week,
                    usage && (
                      <span className={classes.between}>
                        {messages.weekLong(usage.requests7d, usage.held7d, usage.denied7d)}
                        <Link to={`/history?agent=${agent.id}`}>{text.seeRequests}</Link>
                      </span>
                    ),
                  ],
                  [
                    text.services,
                    <ul className={classes.plainList}>
                      {agent.services.map(({ id, name }) => (
                        <li key={id}>
                          <Link to={`/services/${id}`}>{name}</Link>
                        </li>
                      ))}
                      <li>
                        <Link to={`/agents/${agent.id}/access`}>{text.edit}</Link>
                      </li>
                    </ul>,
                  ],
                  [
                    messages.hosts.term,
                    <ul className={classes.plainList}>
                      {agent.callbackHosts.map((host) => (
                        <li key={host} className="mono">
                          {host}
                        </li>
                      ))}
                      {agent.callbackHosts.length === 0 && <li>{messages.hosts.nowhere}</li>}
                      <li>
                        <Link to={`/agents/${agent.id}/callback`}>{messages.hosts.edit}</Link>
                      </li>
                    </ul>,
                  ],
                  [text.created, <Moment at={agent.createdAt} />],
                  [text.changed, <Moment at={agent.updatedAt} />],
                ]}
              />
            )}
          </Card>
        </Section>
        <div className={classes.parts}>
          <KeyCard agent={agent} />
          <DangerZone agent={agent} />
        </div>
      </div>
    </div>
  );
}

function Rename({ agent, close }: { agent: Agent; close: () => void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(agent.name);
  const save = useMutation({
    mutationFn: () => updateAgent(agent.id, { name: name.trim() }),
    onSuccess: () => {
      showDone(text.saved);
      close();
      return queryClient.invalidateQueries({ queryKey: ['agents'] });
    },
  });
  const ready = name.trim().length >= AGENT_NAME_MIN && name.trim() !== agent.name;
  return (
    <form
      className={classes.stack}
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) save.mutate();
      }}
    >
      <TextInput
        label={text.name}
        maxLength={AGENT_NAME_MAX}
        autoComplete="off"
        autoFocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <div role="alert">{save.isError && <Callout tone="danger">{failure(save.error).message}</Callout>}</div>
      <div className={classes.row}>
        <SubmitButton
          why={ready ? null : name.trim() === agent.name ? shared.why.unchanged : shared.why.name(AGENT_NAME_MIN)}
          loading={save.isPending}
        >
          {text.save}
        </SubmitButton>
        <Button variant="default" onClick={close}>
          {shared.actions.cancel}
        </Button>
      </div>
    </form>
  );
}
