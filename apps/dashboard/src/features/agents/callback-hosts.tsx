import type { Agent } from '#contracts';
import { normalCallbackHost } from '#contracts/callback-hosts';
import { CALLBACK_HOSTS_MAX } from '#contracts/limits';
import { Button, TagsInput } from '@mantine/core';
import { useState } from 'react';
import { Callout } from '../../components/notices.js';
import { Card } from '../../components/page.js';
import { SubmitButton } from '../../components/submit-button.js';
import { failure } from '../../lib/http.js';
import { messages as shared } from '../../lib/messages.js';
import classes from './agents.module.css';
import { messages } from './messages.js';
import { RequestedHost } from './requested-host.js';
import { useSaveHosts } from './use-save-hosts.js';

const text = messages.hosts;

/** The allowed callback hosts of an agent, and the host that the agent requests. */
export function CallbackHosts({ agent }: { agent: Agent }) {
  return (
    <div className={classes.narrow}>
      <RequestedHost agent={agent} />
      <Card>
        <Editor key={agent.callbackHosts.join()} agent={agent} />
      </Card>
    </div>
  );
}

function Editor({ agent }: { agent: Agent }) {
  const [hosts, setHosts] = useState(agent.callbackHosts);
  const save = useSaveHosts(agent);
  const wrong = hosts.filter((host) => normalCallbackHost(host) === null);
  const changed = hosts.join() !== agent.callbackHosts.join();
  const why = wrong.length > 0 ? shared.why.marked : changed ? null : shared.why.unchanged;
  return (
    <form
      className={classes.stack}
      onSubmit={(event) => {
        event.preventDefault();
        if (why === null) save.mutate(hosts);
      }}
    >
      <TagsInput
        label={text.label}
        description={text.hint}
        placeholder={hosts.length === 0 ? text.placeholder : undefined}
        splitChars={[',', ' ']}
        acceptValueOnBlur
        maxTags={CALLBACK_HOSTS_MAX}
        value={hosts}
        onChange={(entries) => setHosts([...new Set(entries.map((entry) => normalCallbackHost(entry) ?? entry))])}
        error={wrong[0] === undefined ? undefined : text.wrong(wrong[0])}
        autoComplete="off"
        spellCheck={false}
      />
      {hosts.length === 0 && <div className={classes.dim}>{text.none}</div>}
      <div role="alert">{save.isError && <Callout tone="danger">{failure(save.error).message}</Callout>}</div>
      <div className={classes.row}>
        <SubmitButton why={why} loading={save.isPending}>
          {text.save}
        </SubmitButton>
        {changed && (
          <Button variant="default" onClick={() => setHosts(agent.callbackHosts)}>
            {text.undo}
          </Button>
        )}
      </div>
    </form>
  );
}
