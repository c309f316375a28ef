/** The one text of the pause that the inbox of a phone needs. */
export const headerMessages = {
  pause: 'Pause all agents',
} as const;
