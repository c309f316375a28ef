export const messages = {
  none: {
    title: 'No workspace',
    lead: 'You are not a member of any workspace',
    ask: 'Ask an owner of a workspace to invite you, or create your own.',
  },
  create: {
    name: 'Name',
    nameHint: 'A workspace has its own services, agents, people and history.',
    submit: 'Create workspace',
  },
  switcher: {
    label: 'Workspace',
    current: (name: string, role: string) => `Workspace ${name}, ${role}`,
    others: 'Switch to',
    waiting: (count: number) => `${count} waiting`,
    members: 'Members',
    settings: 'Workspace settings',
  },
} as const;
