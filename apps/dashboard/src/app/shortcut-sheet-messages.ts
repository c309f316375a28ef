export const shortcutSheetMessages = {
  title: 'Keyboard shortcuts',
  off: 'Single-letter shortcuts are turned off in Settings.',
} as const;
