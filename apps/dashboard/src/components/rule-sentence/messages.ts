export const messages = {
  effects: { deny: 'Deny', require_approval: 'Ask', allow: 'Allow', guidance: 'Tell the model' },
  when: 'When',
  any: 'any agent',
  anyMethod: 'sends any request',
  does: (methods: string) => `sends ${methods}`,
  on: 'to',
  anyPath: 'any path',
  arrow: 'then',
} as const;
