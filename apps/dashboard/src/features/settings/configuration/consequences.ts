import type { ConfigurationChange } from '#contracts';
import { messages } from './messages.js';

const text = messages.loses;

/** What goes with a change, as sentences. */
export function consequences({ kind, loses = {}, likelyRenamedTo }: ConfigurationChange): string[] {
  const { credentials = [], connection, agents = [], rules = 0, documents = 0, keys, waiting = 0 } = loses;
  return [
    credentials.length > 0 && text.credentials(credentials),
    connection && text.connection,
    agents.length > 0 && text.agents(agents),
    rules > 0 && text.rules(rules),
    documents > 0 && text.documents(documents),
    keys && text.keys,
    waiting > 0 && text.waiting(waiting),
    likelyRenamedTo !== undefined && text.renamed(kind, likelyRenamedTo),
  ].filter((sentence) => typeof sentence === 'string');
}
