/** Texts about notifications on this device. Those of the settings are in `features/channels`. */
export const pushMessages = {
  asks: 'The browser will ask for permission.',
  turnOn: 'Turn on notifications',
  someDevice: 'A browser',
  noAnswer: 'You have not given permission. Press the button again, and choose “Allow”.',
  denied: 'You blocked notifications from this site.',
  offer: 'Get notified when a request needs approval',
  offerText: 'Get notifications on this device, even when the dashboard is closed.',
  offerInstall: 'Get notifications on this phone. First add the dashboard to the home screen.',
  how: 'How it works',
  notNow: 'Not now',
  test: 'Send test',
  done: 'Notifications are on for this device.',
} as const;
