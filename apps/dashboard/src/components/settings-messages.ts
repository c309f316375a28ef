/** The names of the settings pages. */
export const settingsMessages = {
  title: 'Settings',
  tabs: {
    profile: 'Profile',
    security: 'Security',
    notifications: 'Notifications',
    preferences: 'This browser',
    tokens: 'Access tokens',
    members: 'Members',
    workspace: 'Workspace',
    file: 'Export and import',
  },
} as const;
