export const messages = {
  changed: (name: string) => `${name} changed what the agent asked for.`,
  revises: 'Revises',
} as const;
