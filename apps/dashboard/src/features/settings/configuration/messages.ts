import { plural } from '../../../lib/format.js';

const SHOWN_NAMES = 10;

const names = (all: readonly string[]): string =>
  all.length <= SHOWN_NAMES
    ? all.join(', ')
    : `${all.slice(0, SHOWN_NAMES).join(', ')} and ${all.length - SHOWN_NAMES} more`;

/** The texts of the page for export and import. */
export const messages = {
  about: 'Import a configuration',
  export: {
    title: 'Export',
    text: 'The services, documents, rules, agents and settings of this workspace as one YAML file. Credentials and keys are not in it.',
    button: 'Download the file',
    done: 'The file was downloaded.',
  },
  import: {
    title: 'Import',
    text: 'Makes this workspace the same as a file. First you see the difference, and nothing changes. A list that is in the file is complete: what it does not name is deleted.',
    drop: 'Choose a file, or drop it here',
    dropHint: (max: string) => `YAML or JSON, at most ${max}.`,
    file: 'Configuration, as YAML or JSON',
    large: (size: string) => `The file is too large to edit here: ${size}.`,
    empty: 'Choose a file, or paste its text.',
    show: 'Show the difference',
    clear: 'Clear',
  },
  faults: {
    title: 'The file cannot be imported. Nothing has changed.',
    fix: 'Change the file, and show the difference again.',
  },
  difference: {
    title: 'Difference',
    none: 'The workspace is already the same as the file.',
    moved: 'The workspace has changed since you saw the difference. Nothing was imported. This is the new difference.',
    groups: { created: 'Added', changed: 'Changed', deleted: 'Deleted' },
    kinds: { settings: 'Settings', service: 'Service', document: 'Document', rule: 'Rule', agent: 'Agent' },
    before: 'before',
    after: 'after',
    nothing: 'nothing',
  },
  loses: {
    credentials: (all: readonly string[]) =>
      `${plural(all.length, 'credential is', 'credentials are')} deleted: ${names(all)}.`,
    connection: 'The OAuth connection ends. Somebody must connect it again.',
    agents: (all: readonly string[]) =>
      `${plural(all.length, 'agent loses', 'agents lose')} access to it: ${names(all)}.`,
    rules: (count: number) => `${plural(count, 'rule is', 'rules are')} deleted with it.`,
    documents: (count: number) => `${plural(count, 'document is', 'documents are')} deleted with it.`,
    keys: 'Its keys stop working.',
    waiting: (count: number) =>
      `${plural(count, 'request that waits', 'requests that wait')} for a decision or for execution can no longer be executed.`,
    renamed: (kind: string, name: string) =>
      `If this ${kind} is now called “${name}”: an import cannot rename. Rename it in the dashboard first, then import the file, and nothing of this is lost.`,
  },
  apply: {
    button: 'Import',
    dangerous: 'Import…',
    title: 'Import the file',
    confirm: (count: number) => (count === 0 ? 'Import' : `Delete ${plural(count, 'thing', 'things')} and import`),
    lost: 'This cannot be undone:',
    done: 'The file was imported.',
    doneTitle: 'What was done',
    credentials: 'A new service has no credentials: store them before agents use it.',
    keys: 'A new agent has a key that nobody knows: rotate it to get one.',
    another: 'Import another file',
  },
} as const;
