export const revisesMessages = {
  changed: (name: string) => `${name} edited the agent’s request.`,
  revises: 'Original request',
} as const;
