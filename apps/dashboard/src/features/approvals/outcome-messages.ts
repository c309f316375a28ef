export const outcomeMessages = {
  APPROVED: (name: string) => `Approved by ${name}. The agent can run it now.`,
  approvedSoon: (name: string) => `Approved by ${name}.`,
  executing: (name: string) => `Approved by ${name}. The agent is running it now.`,
  approvedButBlocked: (name: string, reason: string) => `Approved by ${name}, but the agent can’t run it: ${reason}.`,
  DENIED: (name: string) => `Denied by ${name}. The agent will see this the next time it checks.`,
  /** The time for the decision is over, so the agent may never check again. */
  DENIED_UNSEEN: (name: string) => `Denied by ${name}. The agent has not checked since.`,
  /** The agent has checked since the decision. */
  DENIED_SEEN: (name: string) => `Denied by ${name}. The agent has seen this.`,
  revised: (name: string) => `Edited by ${name}. The agent is told to run the edited request instead.`,
  revisedAs: 'Edited request',
  EXPIRED: 'Expired. The agent must send the request again.',
  EXECUTED: (name: string) => `Approved by ${name} and executed.`,
  failed: (name: string, status: number) =>
    `Approved by ${name} and sent, but it failed: the upstream responded with ${status}.`,
  decided: 'Decided',
  ran: 'Run',
  response: 'Upstream response',
  note: 'Note',
  noteToAgent: 'Note to the agent',
} as const;
