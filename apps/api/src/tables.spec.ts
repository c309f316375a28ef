import { createRequire } from 'node:module';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getMetadataArgsStorage } from 'typeorm';
import * as ts from 'typescript';
import '#database';

const SRC = join(process.cwd(), 'apps/api/src');

/** The part that owns each table. Only the owner's SQL names a table, apart from `ALSO`. */
const OWNERS: Record<string, string[]> = {
  auth: [
    'users',
    'sessions',
    'login_attempts',
    'known_places',
    'identities',
    'oidc_sign_ins',
    'passkeys',
    'passkey_challenges',
    'installation_administrators',
  ],
  membership: ['workspaces', 'workspace_members', 'access_tokens'],
  workspaces: ['invitations', 'invitation_mails'],
  audit: ['audit_records'],
  credentials: ['credentials', 'previous_credentials'],
  connections: ['connections', 'oauth_sign_ins', 'previous_credential_sets'],
  'service-view': ['services'],
  rules: ['risk_rules', 'risk_rule_versions', 'risk_rule_matches'],
  documentation: ['service_documents', 'documented_operations'],
  agents: ['agents', 'agent_services', 'previous_agent_keys', 'callback_requests'],
  approvals: ['actions'],
  slack: ['slack_requests'],
  channels: [
    'channels',
    'channel_deliveries',
    'channel_mails',
    'credential_reminders',
    'slack_links',
    'slack_link_requests',
  ],
  risk: ['model_outages', 'agent_operations', 'learnt_operations', 'limit_counters'],
  callbacks: ['callbacks', 'callback_deliveries'],
  idempotency: ['idempotency_records'],
  'web-push': ['web_push_keys'],
  figures: ['usage_fold', 'usage_hours', 'usage_risk', 'usage_totals'],
};

/** Only `libs/database` itself uses them. */
const OF_LIBS_DATABASE = new Set(['migrations', 'function_texts']);

/** SQL that names tables of other parts, and why. */
const ALSO: Record<string, Record<string, string>> = {
  auth: {
    access_tokens: 'The operator who resets a password reads how many tokens still work',
    workspaces: 'A change needs a confirmation where the workspace says so',
  },
  membership: {
    users: 'A person behind a token has a name',
  },
  workspaces: {
    workspaces: 'The endpoints that make, change and delete workspaces',
    workspace_members: 'The endpoints that add, change and remove members',
    access_tokens: 'The endpoints that make and revoke tokens',
    installation_administrators: 'The endpoints that name administrators of the installation',
    users: 'Members are listed with their names',
    services: 'A workspace that has services is not deleted',
    agents: 'A workspace that has agents is not deleted',
    actions: 'A workspace is deleted with its actions, some at a time',
    channel_deliveries: 'A workspace is deleted with its notifications, some at a time',
    channels: 'The notifications of a workspace are those of its channels',
  },
  audit: {
    workspace_members: 'A password that the operator reset is recorded in each workspace of its person',
  },
  'audit-reading': {
    audit_records: 'The endpoints that read the records',
    actions: 'Lists show what was decided',
    users: 'The people in a record have their current names',
  },
  connections: {
    credentials: 'Tokens are credentials, and a set that can be put back was the stored one',
    previous_credentials: 'A set that can be put back keeps its values there',
    services: 'A connection belongs to a service, which is locked while it changes',
    users: 'A person connected it',
  },
  services: {
    services: 'The registry makes, changes and deletes services',
    oauth_sign_ins: 'A sign-in begins and ends here',
    workspaces: 'The workspace of a service decides which private targets it may have',
    users: 'An installation administrator made the workspace of a service, or a person connected it',
    actions: 'The actions of a service that is deleted keep its name only',
    connections: 'A service is listed with the state of its connection',
    credentials: 'A service is listed with the names of its credentials',
  },
  rules: {
    agents: 'A rule may name agents of the same owner only',
    audit_records: 'The preview of a rule tells which recent requests it matches',
    workspaces: 'The workspace decides for how long and after what approvers may allow',
    workspace_members: 'A rule names only people who may approve',
  },
  risk: {
    services: 'What an agent has done is kept only while the service is there',
    risk_rules: 'The use of limits is listed for the rules of a service',
    agents: 'What an agent has done is kept while it is there. Limits are listed, and conditions read, with its name',
    agent_services: 'The use of limits is listed for the agents of a service',
  },
  agents: {
    actions: 'Deleting an agent closes its open actions in the same transaction',
    idempotency_records: 'An agent is deleted with its keys, some at a time',
    services: 'An agent and the services of its scope are read from one snapshot',
    workspaces: 'An agent and the pause of its workspace are read from one snapshot',
  },
  approvals: {
    agents: 'A request is held, or its record written, only under the version of its agent that it was assessed by',
    agent_services: 'An action may be approved only while its agent may reach its service',
    services: 'A request is held, or its record written, only under the version of its service that it was assessed by',
    connections: 'The record of a request is written only under the token that is about to be sent',
    risk_rules: 'An approver sees who made the rules that ask',
    service_documents: 'An approver sees the title of the document that describes the request',
    audit_records: 'An approver sees how often the agent has sent such requests',
    workspaces: 'A decision holds the settings of the workspace and the roles of its members still',
    workspace_members: 'An approval counts only while its giver may still decide',
    users: 'An action names the people who may approve it',
  },
  backtests: {
    audit_records: 'A rule is tried on recorded requests',
    actions: 'Headers and bodies of held requests are in their actions',
  },
  channels: {
    workspaces: 'The channels of a workspace are counted while it is locked',
    workspace_members: 'A person is told only while the person may decide',
    users: 'Mail goes to the address of an account',
    services: 'A channel names services of its workspace only, and tells when their credentials are due',
  },
  slack: {
    slack_links: 'People link their Slack users to their accounts',
    slack_link_requests: 'People link their Slack users to their accounts',
    channels: 'A decision in Slack holds its channel still',
    workspaces: 'The workspace names what is decided in the dashboard only',
    channel_deliveries: 'Only a request that a channel was told of can be decided there',
    workspace_members: 'Only members decide',
    users: 'A decision names its person',
  },
  callbacks: {
    callback_requests: 'An agent that registers a host that is not listed asks for it',
    agents: 'A callback belongs to an agent, which may be revoked',
  },
  configuration: {
    actions: 'An import says how many waiting requests it ends',
    connections: 'An import says which services lose their connection',
    credentials: 'An import names the credentials that go with a service. It reads no values',
    agents: 'A file is compared with what is stored, which may not change meanwhile',
    agent_services: 'A file is compared with what is stored, which may not change meanwhile',
    services: 'A file is compared with what is stored, which may not change meanwhile',
    risk_rules: 'A file is compared with what is stored, which may not change meanwhile',
    users: 'A file names approvers by their e-mails',
    workspace_members: 'A file names approvers by their e-mails',
    service_documents: 'A file is compared with what is stored, which may not change meanwhile',
    workspaces: 'A file is compared with what is stored, which may not change meanwhile',
  },
  idempotency: {
    agents: 'A key is claimed, and its answer is told, only under the current version of the agent',
    services: 'The record that is written with a claim has the condition of every record',
    agent_services: 'A stored answer is told only while the agent may reach the service that gave it',
    audit_records: 'A claim and the record of its request are one statement',
    actions: 'A key that is bound to an action is taken over only once the action is closed',
  },
  figures: {
    audit_records: 'Figures count records',
    actions: 'Figures count decisions',
    agents: 'Usage is told for each agent',
    services: 'Usage is told for each service',
    agent_services: 'A service is listed with the number of its agents',
    service_documents: 'A service is listed with the number of its documents',
    risk_rules: 'A service is listed with the number of its rules',
  },
  health: {
    actions: 'The metrics count open requests, and claims that a crash has left',
    idempotency_records: 'The metrics count claims that a crash has left',
    callback_deliveries: 'The metrics say how long a queue is',
    channel_deliveries: 'The metrics say how long a queue is',
    invitation_mails: 'The metrics say how long a queue is',
    credentials: 'The status page says whether stored credentials can be decrypted',
    services:
      'The status page checks a credential of a service of the reader, and counts the services whose rotation is due',
  },
};

const owners = new Map(Object.entries(OWNERS).flatMap(([part, tables]) => tables.map((table) => [table, part])));
const entities = new Map(
  getMetadataArgsStorage().tables.map(({ target, name }) => [(target as { name: string }).name, name!]),
);

/** The tables after a keyword of SQL, which this project writes in capitals: `FROM agents a, services s`. */
const NAMED = /\b(?:FROM|JOIN|INTO|UPDATE|USING|NULL::)\s*([a-z_]+(?:\s+[a-z]+)?(?:\s*,\s*[a-z_]+(?:\s+[a-z]+)?)*)/g;

const namedIn = (sql: string): string[] =>
  [...sql.matchAll(NAMED)].flatMap(([, list]) => list.split(',').map((item) => item.trim().split(/\s/)[0]));

/** The tables that a file's texts name, and those of the entities that it imports as values. */
function findTables(path: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      found.push(...namedIn(node.text));
      // A constant for SQL, like `table: 'channel_deliveries'`. A single word could mean something else.
      if (node.text.includes('_')) found.push(node.text);
    } else if (ts.isImportDeclaration(node)) {
      found.push(...importedNames(node).map((name) => entities.get(name) ?? ''));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest));
  return found.filter((name) => owners.has(name));
}

function importedNames({ importClause }: ts.ImportDeclaration): string[] {
  const bindings = importClause?.namedBindings;
  if (importClause?.isTypeOnly || bindings === undefined || !ts.isNamedImports(bindings)) return [];
  return bindings.elements.filter(({ isTypeOnly }) => !isTypeOnly).map(({ name }) => name.text);
}

/** `part: table` for each table of another part that a part names. */
function foreignTables(): string[] {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
  const named = files
    .filter((file) => /[.]ts$/.test(file) && !/[.]spec[.]ts$/.test(file))
    .flatMap((file) => findTables(join(SRC, file)).map((table) => [file.split('/')[0], table]))
    .filter(([part, table]) => owners.get(table) !== part);
  return [...new Set(named.map(([part, table]) => `${part}: ${table}`))].sort();
}

it('finds the tables that SQL names', () => {
  expect(namedIn('SELECT FROM agents a, services s JOIN users ON true')).toEqual(['agents', 'services', 'users']);
  expect(namedIn('INSERT INTO actions (id) SELECT id FROM json_populate_recordset(NULL::audit_records, $1)')).toEqual([
    'actions',
    'json_populate_recordset',
    'audit_records',
  ]);
  expect(namedIn('DELETE FROM credentials c USING services s WHERE true')).toEqual(['credentials', 'services']);
  expect(namedIn('JOIN users USING (id)')).toEqual(['users']);
  expect(namedIn('ON CONFLICT DO UPDATE SET name = 1')).toEqual([]);
});

it('knows an owner for each table', () => {
  const schema = readFileSync(join(process.cwd(), 'libs/database/schema.sql'), 'utf8');
  const tables = Array.from(schema.matchAll(/^CREATE TABLE (\w+)/gm), ([, table]) => table);
  expect(tables.filter((table) => !OF_LIBS_DATABASE.has(table)).sort()).toEqual([...owners.keys()].sort());
  expect([...entities.values()].filter((table) => !owners.has(table))).toEqual([]);
});

it('lets SQL name a table of another part only where it is written down', () => {
  const written = Object.entries(ALSO).flatMap(([part, tables]) =>
    Object.keys(tables).map((table) => `${part}: ${table}`),
  );
  expect(foreignTables()).toEqual(written.sort());
});

it('lets SQL look up to a higher part in few places only', () => {
  const ranks = createRequire(import.meta.url)(join(process.cwd(), 'scripts/lib/part-ranks.cjs')) as string[][];
  const findRank = (part: string): number => ranks.findIndex((parts) => parts.includes(part));
  const upward = Object.entries(ALSO).flatMap(([part, tables]) =>
    Object.keys(tables)
      .filter((table) => findRank(owners.get(table)!) > findRank(part) && findRank(part) !== -1)
      .map((table) => `${part}: ${table}`),
  );
  expect(upward.sort()).toEqual([
    'agents: actions',
    'agents: idempotency_records',
    'auth: access_tokens',
    'auth: workspaces',
    'rules: agents',
    'services: actions',
  ]);
});
