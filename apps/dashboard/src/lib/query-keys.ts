import type { AuditFilter, CreateRiskRuleRequest, GatewayEvent } from '#contracts';

type EventId = GatewayEvent['id'];

/**
 * The key of every query. It starts with the word for what the query is about, so that one call makes everything about
 * it stale: `all`, `about` and `of` are such beginnings. No other file writes a key.
 */
export const queryKeys = {
  me: ['me'],
  identities: ['identities'],
  passkeys: ['passkeys'],
  sessions: ['sessions'],
  tokens: ['tokens'],
  setup: ['setup'],
  authMethods: ['auth-methods'],
  confirmation: ['confirmation'],
  status: ['status'],
  administrators: ['administrators'],
  installation: { all: ['installation'], found: (text: string) => ['installation', text] },
  workspaces: { all: ['workspaces'], one: (id: number) => ['workspaces', id] },
  /** What waits in the person's other workspaces. */
  elsewhere: (workspaceId: number) => ['elsewhere', workspaceId],
  members: {
    all: ['members'],
    of: (workspaceId: number) => ['members', workspaceId],
    needed: (memberId: number) => ['members', 'needed', memberId],
  },
  invitations: { all: ['invitations'], of: (workspaceId: number) => ['invitations', workspaceId] },
  /** An invitation that this person got. */
  invitation: (token: string) => ['invitation', token],
  approvals: {
    counts: ['approvals', 'counts'],
    lists: ['approvals', 'list'],
    list: (view: object) => ['approvals', 'list', view],
    found: (text: string) => ['approvals', 'find', text],
    each: ['approvals', 'one'],
    one: (actionId: EventId) => ['approvals', 'one', actionId],
    summary: (actionId: EventId) => ['approvals', 'one', actionId, 'summary'],
    /** Not one of `each`: its bodies never change. */
    whole: (actionId: EventId, withResult: boolean) => ['approvals', 'whole', actionId, withResult],
    bodies: (serviceId: number) => ['approvals', 'bodies', serviceId],
    context: (actionId: string) => ['approvals', 'context', actionId],
    rule: (actionId: string) => ['approvals', 'rule', actionId],
  },
  audit: {
    list: (filter: AuditFilter) => ['audit', 'list', filter],
    one: (id: string) => ['audit', 'one', id],
    first: (agentId: number) => ['audit', 'first', agentId],
    latest: ['audit', 'latest'],
    people: ['audit', 'people'],
    stats: (filter: AuditFilter) => ['audit', 'stats', filter],
    statsSince: (from: Date) => ['audit', 'stats', 'today', from.toISOString()],
    usage: ['audit', 'usage'],
    usageOfServices: ['audit', 'usage', 'services'],
    usageOfAgents: (agentIds: readonly number[]) => ['audit', 'usage', 'agents', agentIds],
  },
  agents: { all: ['agents'], list: ['agents', 'list'], about: (id: number) => ['agents', id] },
  callbacks: {
    of: (agentId: EventId) => ['callbacks', agentId],
    deliveries: (agentId: number) => ['callbacks', agentId, 'deliveries'],
  },
  services: {
    all: ['services'],
    list: ['services', 'list'],
    about: (id: number) => ['services', id],
    one: (id: number) => ['services', id, 'one'],
    documents: (id: number) => ['services', id, 'documents'],
    operations: (id: number) => ['services', id, 'operations'],
    operationFields: (id: number) => ['services', id, 'operations', 'fields'],
    ruleMatches: (id: number) => ['services', id, 'rules', 'matches'],
    rules: (id: number) => ['services', id, 'rules'],
    limits: (id: number) => ['services', id, 'limits'],
    ruleVersions: (id: number, ruleId: number) => ['services', id, 'rules', ruleId, 'versions'],
    test: (id: number) => ['services', 'test', id],
  },
  backtest: (serviceId: number, tried: object) => ['backtest', serviceId, tried],
  rulePreview: (serviceId: number, rule: CreateRiskRuleRequest) => ['rule-preview', serviceId, rule],
  channels: {
    all: ['channels'],
    list: ['channels', 'list'],
    deliveries: (channelId: number) => ['channels', channelId, 'deliveries'],
  },
  slackLinks: ['slack-links'],
  slackLink: (token: string) => ['slack-link', token],
  /** This browser as a receiver of notifications. */
  device: { all: ['device'], of: (workspaceId: number) => ['device', workspaceId] },
} as const;
