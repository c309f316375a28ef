import { PASSWORD_MIN } from '#contracts/limits';

/** They are apart from those of the login, which a phone loads before the first decision. */
export const invitationMessages = {
  title: 'You are invited',
  somebody: 'Somebody',
  invites: 'invites you to the workspace',
  role: 'Your role:',
  noToken: 'This link is incomplete, or you have already used it. Open the whole link from your invitation.',
  toDashboard: 'Go to the dashboard',
  emailHint: 'The invitation is for this address.',
  name: 'Name',
  nameHint: 'Shown to other people and to agents with your decisions.',
  passwordHint: `At least ${PASSWORD_MIN} characters.`,
  register: 'Create account and join',
  or: 'or',
  haveAccount: 'I already have an account: log in',
  loggedInAs: (email: string) => `You are logged in as ${email}.`,
  accept: 'Accept invitation',
  otherAccount: 'Log out and use another account',
  otherEmail: (email: string) =>
    `This invitation is not for ${email}. Log in with the invited address, or ask for an invitation to ${email}.`,
  unknown: 'This invitation no longer exists. It was revoked, or its workspace was deleted. Ask for a new one.',
  over: 'This invitation was used, or it has expired. Ask the person who sent it for a new one.',
  member: 'You are already a member of this workspace.',
  emailTaken: 'An account with this e-mail exists. Log in below, and then accept the invitation.',
} as const;
