/** These texts are separate from those that every page loads. */
export const paletteMessages = {
  placeholder: 'Find a page, action, agent or service',
  empty: 'No results',
  go: 'Go to',
  workspaces: 'Switch workspace',
  waiting: 'Waiting actions',
  agents: 'Agents',
  services: 'Services',
  notifications: 'Notifications',
  create: 'Create',
  newService: 'New service',
  newAgent: 'New agent',
} as const;
