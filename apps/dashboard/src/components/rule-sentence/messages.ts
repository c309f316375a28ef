export const messages = {
  effects: { deny: 'Deny', require_approval: 'Ask', allow: 'Allow', guidance: 'Tell the model' },
  when: 'When',
  any: 'any agent',
  anyMethod: 'sends anything',
  does: (methods: string) => `does ${methods}`,
  on: 'on',
  anyPath: 'any path',
  arrow: 'then',
} as const;
