/** These texts are separate from those that every page loads. */
export const paletteMessages = {
  placeholder: 'Find a page, request, agent or service',
  empty: 'No results',
  go: 'Go to',
  workspaces: 'Switch workspace',
  waiting: 'Waiting requests',
  agents: 'Agents',
  services: 'Services',
  notifications: 'Notifications',
  create: 'Create',
  newService: 'New service',
  newAgent: 'New agent',
} as const;
