export const valueMessages = {
  parameter: (name: string) => `query ${name}`,
  upTo: (name: string, most: string) => `${name} is from 0 to ${most}`,
  equals: (name: string, value: string) => `${name} is ${value}`,
  among: (name: string, values: string) => `each of ${name} is one of ${values}`,
  count: (name: string, most: number) => `${name} has at most ${most} items`,
  any: (name: string) => `${name} is anything`,
  none: { body: 'there is no body', query: 'there is no query' },
  whole: { body: 'the body', query: 'the query' },
  only: { body: 'the body has no other field', query: 'the query has no other parameter' },
  empty: (name: string) => `${name} is empty`,
  onlyIn: (name: string) => `${name} has no other field`,
} as const;
