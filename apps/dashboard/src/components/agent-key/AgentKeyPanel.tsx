import type { SnippetInput } from '../../lib/snippets.js';
import { OneTimeSecret } from '../OneTimeSecret.js';
import { messages } from './messages.js';
import { SnippetTabs } from './SnippetTabs.js';

interface Props extends SnippetInput {
  /** Called once the user says that the key is stored; the key must be forgotten then. */
  onStored: () => void;
  stored: boolean;
}

/** A new key, in full, this once, and calls to start from. */
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
