import { orList } from './format.js';

/**
 * The names of workspaces and roles. They are separate from the texts that all pages share, because the inbox does
 * without them.
 */
export const roleMessages = {
  roles: { auditor: 'Auditor', approver: 'Approver', admin: 'Administrator', owner: 'Owner' },
  sentences: {
    auditor: 'An auditor reads everything and changes nothing.',
    approver: 'An approver approves and denies requests, and sees approvals, the history, and the names of services.',
    admin: 'An administrator also changes services, credentials, rules and agents.',
    owner: 'An owner can do everything, including inviting people and deleting the workspace.',
  },
  workspace: {
    lost: (name: string) => `You are not a member of that workspace, or it was deleted. You are now in “${name}”.`,
    create: 'Create a workspace',
    switchTo: (name: string) => `Switch to ${name}`,
    notAllowed: 'You don’t have access',
    onlyAdmins: 'Only administrators can see this page',
    yourRole: (role: string) => `Your role in this workspace: ${role}.`,
    ask: (names: readonly string[]) => `You can ask ${orList(names)}.`,
  },
} as const;
