import { number, plural } from '../../lib/format.js';

export const differentMessages = {
  label: (of: number) => `Different from the last ${number(of)} approved requests of this operation by this agent`,
  new_field: (of: number) => `is here for the first time (not in the last ${number(of)})`,
  missing_field: (of: number) => `is missing (it was in all of the last ${number(of)})`,
  new_value: (of: number) => `is new (not in the last ${number(of)})`,
  unusual_number: () => 'is unusual',
  unusual_count: () => 'is empty for the first time',
  times: (times: string) => `is ${times} times the usual`,
  fraction: (part: number) => `1/${number(part)}`,
  usually: 'usually',
  others: (count: number) => `and ${plural(count, 'other difference', 'other differences')}`,
};
