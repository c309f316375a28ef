import { number } from '../lib/format.js';

/** These texts are separate from those that every page loads. */
export const pagedMessages = {
  label: 'Pages',
  previous: 'Previous',
  next: 'Next',
  shown: (from: number, to: number, of: number) => `${number(from)} to ${number(to)} of ${number(of)}`,
  first: 'first page',
  last: 'last page',
} as const;
