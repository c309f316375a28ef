import type { Agent } from '#contracts';
import { normalCallbackHost } from '#contracts/callback-hosts';
import { CALLBACK_HOSTS_MAX } from '#contracts/limits';
import { Stack, TagsInput, Text } from '@mantine/core';
import { useState } from 'react';
import { FormFoot } from '../../components/form-foot.js';
import { Card } from '../../components/page.js';
import { Terms } from '../../components/terms.js';
import { whyMessages } from '../../lib/why-messages.js';
import { useMay } from '../../lib/workspace.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { messages } from './messages.js';
import { RequestedHost } from './requested-host.js';
import { useSaveHosts } from './use-save-hosts.js';

const text = messages.hosts;

/** The allowed callback hosts of an agent, and the host that the agent requests. */
export function CallbackHosts({ agent }: { agent: Agent }) {
  const may = useMay('admin');
  return (
    <Stack maw={800}>
      <RequestedHost agent={agent} />
      <Card>
        {may ? (
          <Editor key={agent.callbackHosts.join()} agent={agent} />
        ) : (
          <Terms items={[[text.label, agent.callbackHosts.join(', ') || text.nowhere]]} />
        )}
      </Card>
    </Stack>
  );
}

function Editor({ agent }: { agent: Agent }) {
  const [hosts, setHosts] = useState(agent.callbackHosts);
  const save = useSaveHosts(agent);
  const wrong = hosts.filter((host) => normalCallbackHost(host) === null);
  const changed = hosts.join() !== agent.callbackHosts.join();
  useUnsaved(changed);
  const why = wrong.length > 0 ? whyMessages.marked : changed ? null : whyMessages.unchanged;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (why === null) save.mutate(hosts);
      }}
    >
      <Stack>
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
        {hosts.length === 0 && (
          <Text c="dimmed" size="sm">
            {text.none}
          </Text>
        )}
        <FormFoot
          label={text.save}
          why={why}
          save={save}
          cancel={changed ? () => setHosts(agent.callbackHosts) : undefined}
          cancelLabel={text.undo}
        />
      </Stack>
    </form>
  );
}
