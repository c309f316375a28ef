/** What calls do that need a confirmation. The first that matches counts. */
const calls: readonly (readonly [call: RegExp, does: string])[] = [
  [/^POST \/auth\/passkeys/, 'Add a passkey'],
  [/^POST \/auth\/oidc\/link/, 'Link a sign-in'],
  [/^POST \/auth\/tokens/, 'Create an access token'],
  [/^POST \/workspaces\/\d+\/invitations/, 'Invite people'],
  [/^PUT \/workspaces\/\d+$/, 'Change the settings of the workspace'],
  [/^PUT \/admin\/workspaces\//, 'Allow private targets'],
  [/^\w+ \/services\/\d+\/risk-rules/, 'Change the rules'],
  [/^\w+ \/services\/\d+\/documentation/, 'Change the documentation'],
  [/^\w+ \/services\/\d+\/credentials/, 'Change the credentials'],
  [/^PUT \/services\/\d+$/, 'Change the service'],
  [/^PUT \/agents\/\d+\/services/, 'Change the services of the agent'],
  [/^PUT \/agents\/\d+$/, 'Change the agent'],
  [/^POST .*\/resume$/, 'End the pause'],
];

export const messages = {
  title: 'Confirm it is you',
  lead: 'Confirm your identity to continue. You won’t be asked again for five minutes in this browser.',
  passkey: 'Use a passkey',
  or: 'or use your password',
  password: 'Password',
  confirm: 'Confirm',
  calls,
  done: (time: string) => `Confirmed until ${time}.`,
  nothing:
    'You have no passkey or password to confirm with. Log out and in again. Then add a passkey under Settings, Security within five minutes.',
} as const;
