/** What the pages of the settings are called. */
export const messages = {
  title: 'Settings',
  tabs: {
    profile: 'Profile',
    security: 'Security',
    notifications: 'Notifications',
    preferences: 'This browser',
    tokens: 'Access tokens',
    members: 'Members',
    workspace: 'Workspace',
  },
} as const;
