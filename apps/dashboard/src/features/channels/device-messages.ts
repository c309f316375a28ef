export const deviceMessages = {
  title: 'On this device',
  lead: 'Get a notification on this device when a request needs your approval, even when the dashboard is closed.',
  turnOnAgain: 'Turn on again',
  ended: 'This device no longer gets notifications, because its subscription has ended.',
  insecure:
    'Browsers only allow notifications on https pages. Ask the operator to set up https, or use another channel below.',
  install:
    'On iPhones and iPads, first add this dashboard to the home screen: tap Share, then “Add to Home Screen”. Open it from there, and come back to this page.',
  none: 'This browser does not support push notifications. Use a current version of Chrome, Edge, Firefox or Safari, or another channel below.',
  blocked: (host: string) =>
    `This browser blocks notifications from ${host}. Press the icon beside the address, allow notifications, and come back.`,
  blockedApp:
    'This device blocks notifications from Agent Gateway. Open the settings of the device, then Notifications, then Agent Gateway, and allow them.',
} as const;
