/** Texts about notifications on this device. */
export const pushMessages = {
  title: 'On this device',
  lead: 'Get a notification on this device when a request needs your approval, even when the dashboard is closed.',
  asks: 'The browser will ask for permission.',
  turnOn: 'Turn on notifications',
  turnOnAgain: 'Turn on again',
  ended: 'This device no longer gets notifications, because its subscription has ended.',
  someDevice: 'A browser',
  noAnswer: 'You have not given permission. Press the button again, and choose “Allow”.',
  denied: 'You blocked notifications from this site.',
  insecure:
    'Browsers only allow notifications on https pages. Ask the operator to set up https, or use another channel below.',
  install:
    'On iPhones and iPads, first add this dashboard to the home screen: tap Share, then “Add to Home Screen”. Open it from there, and come back to this page.',
  none: 'This browser does not support push notifications. Use a current version of Chrome, Edge, Firefox or Safari, or another channel below.',
  blocked: (host: string) =>
    `This browser blocks notifications from ${host}. Press the icon beside the address, allow notifications, and come back.`,
  blockedApp:
    'This device blocks notifications from Agent Gateway. Open the settings of the device, then Notifications, then Agent Gateway, and allow them.',
  offer: 'Get notified when a request needs approval',
  offerText: 'Get notifications on this device, even when the dashboard is closed.',
  offerInstall: 'Get notifications on this phone. First add the dashboard to the home screen.',
  how: 'How it works',
  notNow: 'Not now',
  test: 'Send test',
  done: 'Notifications are on for this device.',
} as const;
