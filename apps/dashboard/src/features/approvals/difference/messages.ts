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
  form: 'The body has the same values, written in another way.',
  bytes: 'The body is another one. At least one of the two is not text.',
  more: (count: number) => `Show ${count} more`,
} as const;
