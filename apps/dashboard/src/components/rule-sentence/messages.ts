export const ruleSentenceMessages = {
  effects: { deny: 'Deny', require_approval: 'Ask', allow: 'Allow', guidance: 'Tell the model' },
  approvals: (count: number) => `${count} people`,
  named: (count: number) => (count === 1 ? 'one named person' : `${count} named people`),
  of: 'of',
  when: 'When',
  any: 'any agent',
  anyMethod: 'sends any request',
  does: (methods: string) => `sends ${methods}`,
  on: 'to',
  anyPath: 'any path',
  arrow: 'then',
} as const;
