import { ERROR_CODES, type AgentDescription, type AgentLimits, type AgentService } from '#contracts';

/** What the guide is filled in with. */
export interface GuideFacts {
  gatewayUrl: string;
  limits: AgentLimits;
  /** Null: whoever reads it has shown no key. */
  agent: AgentDescription | null;
}

const SUMMARY =
  'An HTTP gateway between you and the APIs you may use. It holds the credentials, sends harmless requests at once, and ' +
  'asks a human before risky ones.';

/** The whole guide, as a skill that a language model can load. */
export function skill(facts: GuideFacts): string {
  return `---
name: agent-gateway
description: >-
  Sends HTTP requests to third-party APIs through the gateway at ${facts.gatewayUrl}, which holds the credentials and
  asks a human to approve risky ones. Use it for every request to the services that it lists.
---

# Agent Gateway

${SUMMARY}

${contract(facts)}

${services(facts)}

${example(facts)}

${held(facts)}

${retries(facts)}

${dryRun()}

${baseUrl(facts)}

${errorTable()}

${limits(facts)}
`;
}

/** The same in short, with where to read on (llmstxt.org). */
export function llms(facts: GuideFacts): string {
  const { gatewayUrl } = facts;
  return `# Agent Gateway

> ${SUMMARY}

${contract(facts)}

${services(facts)}

${held(facts)}

## Read on

- [SKILL.md](${gatewayUrl}/SKILL.md): the whole guide, with examples and error codes
- [Who you are](${gatewayUrl}/agent): your services, rules and limits as JSON; needs your agent key
- [OpenAPI](${gatewayUrl}/openapi.json): every endpoint
- [MCP](${gatewayUrl}/mcp): the same as tools, over Streamable HTTP
`;
}

const contract = ({ gatewayUrl }: GuideFacts): string => `## The one contract

1. Send every request to your services as \`POST ${gatewayUrl}/proxy\`, with your agent key in the header \`Agent-Key\` and a
   JSON body: \`method\`, \`targetUrl\`, \`intent\`, and where needed \`headers\` (object) and \`body\` (a string).
2. Say in \`intent\`, truthfully and in plain words, what you want and why. The human who approves reads it.
3. Send no credentials of the API: the gateway adds them.
4. A response with \`X-Proxy-Status\` is the API's own answer. One with \`X-Error-Code\` is the gateway's, and says why.
5. Status 428 means: **nothing was sent yet**, a human must approve. Wait, then execute once, as told below.
6. Never retry blindly, and never reach a goal that was refused in another way: stop, and tell your user.`;

function services({ agent, gatewayUrl }: GuideFacts): string {
  if (agent === null) {
    return `## Your services

\`GET ${gatewayUrl}/agent\` with your agent key lists them. This guide is filled in with them when you send your key with it.`;
  }
  if (agent.services.length === 0) {
    return `## Your services

You are "${line(agent.name)}", and have none yet: every request is answered 404. Ask your user for access.`;
  }
  return `## Your services

You are "${line(agent.name)}". You may reach these, and nothing else:

${agent.services.map(serviceItem).join('\n')}

${agent.otherwise}`;
}

function serviceItem({ name, baseUrl, credentialHeaders, documented, rules }: AgentService): string {
  const notes = [
    `the gateway adds ${credentialHeaders.map((header) => `\`${header}\``).join(', ')}`,
    ...(documented ? ['documented: search it through the tools of `/mcp`'] : []),
    ...rules.map(line),
  ];
  return [`- **${line(name)}**: \`${baseUrl}\``, ...notes.map((note) => `  - ${note}`)].join('\n');
}

function example({ gatewayUrl, agent }: GuideFacts): string {
  const base = agent?.services[0]?.baseUrl ?? 'https://api.example.com/v1';
  return `## Send a request

\`\`\`http
POST ${gatewayUrl}/proxy
Agent-Key: agt_…
Content-Type: application/json

{"method": "GET", "targetUrl": "${base}", "intent": "See what the API offers, to answer my user's question"}
\`\`\`

With a body, which is text, and a key that you make up before the first attempt:

\`\`\`http
POST ${gatewayUrl}/proxy
Agent-Key: agt_…
Content-Type: application/json
Idempotency-Key: 7f0c1a52-order-for-customer-42

{"method": "POST", "targetUrl": "${base}", "headers": {"Content-Type": "application/json"}, "body": "{\\"customer\\": 42}",
 "intent": "Place the order that my user asked for"}
\`\`\``;
}

const held = ({ gatewayUrl, limits }: GuideFacts): string => `## When it is held: 428

The body has \`action_id\`, \`status_url\` and \`next\`. Nothing was sent. Then:

1. \`GET ${gatewayUrl}/status/{action_id}\` with \`Prefer: wait=${limits.waitSeconds}\`: it answers as soon as a human has decided. While
   \`status\` is \`PENDING\`, call it again (without \`Prefer\`, every ${limits.pollSeconds} seconds).
2. \`APPROVED\`: \`POST ${gatewayUrl}/proxy/execute/{action_id}\` exactly once, within ${hours(limits.executeWithinHours)}. Its answer is the API's.
3. \`DENIED\`: stop. Tell your user what \`resolution_note\` says. \`EXPIRED\` (nobody decided within ${hours(limits.decideWithinHours)}): tell
   your user. \`EXECUTED\`: \`result\` holds the API's answer.

In one call: send \`POST /proxy\` itself with \`Prefer: wait=${limits.waitSeconds}\`. If a human approves in time, you get the API's answer at once.
Do not send the request again while it waits: it does not make the decision come sooner.`;

const retries = ({ limits }: GuideFacts): string => `## Retry without doing it twice

- \`POST\` and \`PATCH\` need an \`Idempotency-Key\`; other methods may have one. One key is one request to the API.
- After a broken connection, 409 \`idempotency_in_progress\` or 503, send the same request again with the **same** key.
- After 502 \`outcome_unknown\` or 504, nobody knows whether the API did it. Find out with a \`GET\`; only if it did not happen,
  send it again with a new key.
- A new request needs a new key. Keys end after ${hours(limits.idempotencyKeyHours)}.`;

const dryRun = (): string => `## Ask before you act

\`POST /proxy\` with \`Prefer: handling=dry-run\` answers with the decision that would be taken (\`forward\`, \`hold\` or \`deny\`), and why.
It sends and queues nothing, and needs no key.`;

const baseUrl = ({ gatewayUrl, agent }: GuideFacts): string => `## Programs that can only change a base URL

Give them \`${agent?.services[0]?.gatewayBaseUrl ?? `${gatewayUrl}/s/<service name>`}\` as base URL, and your agent key as \`Agent-Key\` or as
\`Authorization: Bearer agt_…\`. What comes below it goes to the service as if through \`/proxy\`. Say your intent in \`X-Intent\`: a
request without one counts as riskier.`;

function errorTable(): string {
  const rows = Object.entries(ERROR_CODES)
    .filter(([, { forAgents }]) => forAgents)
    .map(([code, { statuses, meaning }]) => `| \`${code}\` | ${statuses.join(', ')} | ${meaning} |`);
  return `## X-Error-Code

| Code | Status | Meaning, and what to do |
|---|---|---|
${rows.join('\n')}`;
}

const limits = ({ limits }: GuideFacts): string => `## Limits

| | |
|---|---|
| Request and response body, each | ${limits.bodyBytes / (1024 * 1024)} MB |
| The API's time to answer | ${limits.upstreamTimeoutSeconds} s |
| \`intent\` | ${limits.intentCharacters} characters |
| \`targetUrl\` | ${limits.targetUrlCharacters} characters |`;

const hours = (count: number): string => (count === 1 ? '1 hour' : `${count} hours`);

/** What people have named, on one line, and without what would begin another one or code. */
const line = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}`]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
