export const messages = {
  changed: (name: string) => `${name} edited the agent’s request.`,
  revises: 'Original request',
} as const;
