import type { SnippetInput } from '../../lib/snippets.js';
import { OneTimeSecret } from '../one-time-secret.js';
import { messages } from './messages.js';
import { SnippetTabs } from './snippet-tabs.js';

interface Props extends SnippetInput {
  /** Called when the user confirms that the key is stored. The caller must then forget the key. */
  onStored: () => void;
  stored: boolean;
}

/** Shows a new key once, with snippets that use it. */
export function AgentKeyPanel({ onStored, stored, ...input }: Props) {
  const snippets = <SnippetTabs {...input} key={String(stored)} />;
  if (stored) return snippets;
  return (
    <OneTimeSecret
      label={messages.key}
      value={input.agentKey}
      once={messages.once}
      storedLabel={messages.stored}
      onStored={onStored}
    >
      {snippets}
    </OneTimeSecret>
  );
}
