import { plural } from '../../../lib/format.js';

export const messages = {
  method: 'Method',
  url: 'URL',
  header: (name: string) => `Header ${name}`,
  body: 'Body',
  field: (path: string) => (path === '' ? 'Body' : `Body: ${path}`),
  before: 'Proposed:',
  after: 'Changed to:',
  skipped: (count: number) => plural(count, 'equal line', 'equal lines'),
  form: 'The body has the same values in another format.',
  bytes: 'The body has changed. At least one of the two versions is not text.',
  more: (count: number) => `Show ${count} more`,
} as const;
