import { ERROR_CODES, type AgentDescription, type AgentLimits, type AgentService } from '#contracts';

/** The values that the guide contains. */
export interface GuideFacts {
  gatewayUrl: string;
  limits: AgentLimits;
  /** null if the reader sent no key. */
  agent: AgentDescription | null;
}

const SUMMARY =
  'An HTTP gateway between you and the APIs you may use. It keeps the credentials, sends harmless requests immediately, and ' +
  'asks a human to approve risky ones.';

/** The complete guide, as a skill that a language model can load. */
export function skill(facts: GuideFacts): string {
  return `---
name: agent-gateway
description: >-
  Sends HTTP requests to third-party APIs through the gateway at ${facts.gatewayUrl}, which keeps the credentials and
  asks a human to approve risky requests. Use it for every request to the services that it lists.
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

/** The short guide, with links to more (llmstxt.org). */
export function llms(facts: GuideFacts): string {
  const { gatewayUrl } = facts;
  return `# Agent Gateway

> ${SUMMARY}

${contract(facts)}

${services(facts)}

${held(facts)}

## More information

- [SKILL.md](${gatewayUrl}/SKILL.md): the complete guide, with examples and error codes
- [Your agent](${gatewayUrl}/agent): your services, rules and limits as JSON; needs your agent key
- [OpenAPI](${gatewayUrl}/openapi.json): all endpoints
- [MCP](${gatewayUrl}/mcp): the gateway as MCP tools, over Streamable HTTP
`;
}

const contract = ({ gatewayUrl }: GuideFacts): string => `## The rules

1. Send every request to your services as \`POST ${gatewayUrl}/proxy\`, with your agent key in the header \`Agent-Key\` and a
   JSON body: \`method\`, \`targetUrl\`, \`intent\`, and if needed \`headers\` (an object) and \`body\` (a string).
2. In \`intent\`, say truthfully and in plain words what you want to do and why. The human who approves reads it.
3. Do not send credentials for the API: the gateway adds them.
4. A response with \`X-Proxy-Status\` comes from the API. A response with \`X-Error-Code\` comes from the gateway and says why.
5. Status 428 means that **nothing has been sent yet** and a human must approve. Wait, then execute once, as described below.
6. Do not retry blindly. If something was refused, do not try another way to get it: stop, and tell your user.`;

function services({ agent, gatewayUrl }: GuideFacts): string {
  if (agent === null) {
    return `## Your services

\`GET ${gatewayUrl}/agent\` with your agent key lists your services. If you fetch this guide with your key, it lists them here.`;
  }
  if (agent.services.length === 0) {
    return `## Your services

You are "${line(agent.name)}". You have no services yet, so every request gets a 404. Ask your user for access.`;
  }
  return `## Your services

You are "${line(agent.name)}". You may use these services and no others:

${agent.services.map(serviceItem).join('\n')}

${agent.otherwise}`;
}

function serviceItem({ name, baseUrl, credentialHeaders, documented, rules }: AgentService): string {
  const notes = [
    `the gateway adds ${credentialHeaders.map((header) => `\`${header}\``).join(', ')}`,
    ...(documented ? ['documented: search the documentation with the tools of `/mcp`'] : []),
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

{"method": "GET", "targetUrl": "${base}", "intent": "Find out what the API offers, to answer my user's question"}
\`\`\`

With a body, which is a string, and an idempotency key, which you create before the first attempt:

\`\`\`http
POST ${gatewayUrl}/proxy
Agent-Key: agt_…
Content-Type: application/json
Idempotency-Key: 7f0c1a52-order-for-customer-42

{"method": "POST", "targetUrl": "${base}", "headers": {"Content-Type": "application/json"}, "body": "{\\"customer\\": 42}",
 "intent": "Place the order that my user asked for"}
\`\`\``;
}

const held = ({ gatewayUrl, limits }: GuideFacts): string => `## When a request is held: 428

The body has \`action_id\`, \`status_url\` and \`next\`. Nothing was sent. Do this:

1. Call \`GET ${gatewayUrl}/status/{action_id}\` with \`Prefer: wait=${limits.waitSeconds}\`. It responds as soon as a human
   has decided. While \`status\` is \`PENDING\`, call it again (without \`Prefer\`: every ${limits.pollSeconds} seconds).
2. \`APPROVED\`: call \`POST ${gatewayUrl}/proxy/execute/{action_id}\` exactly once, within ${hours(limits.executeWithinHours)}.
   It returns the API's response.
3. \`DENIED\`: stop, and tell your user what \`resolution_note\` says. \`EXPIRED\` (no decision within ${hours(limits.decideWithinHours)}): tell
   your user. \`EXECUTED\`: \`result\` contains the API's response.

To do all of this in one call, send \`POST /proxy\` with \`Prefer: wait=${limits.waitSeconds}\`. If a human approves in time, the call returns
the API's response.
Do not send the request again while it is held: that does not speed up the decision.`;

const retries = ({ limits }: GuideFacts): string => `## Retry safely

- \`POST\` and \`PATCH\` need an \`Idempotency-Key\`; for other methods it is optional. One key stands for one request to the API.
- After a broken connection, 409 \`idempotency_in_progress\` or 503, send the same request again with the **same** key.
- After 502 \`outcome_unknown\` or 504, it is unknown whether the API processed the request. Check with a \`GET\`. Send it again, with
  a new key, only if the API did not process it.
- A new request needs a new key. Keys expire after ${hours(limits.idempotencyKeyHours)}.`;

const dryRun = (): string => `## Check before you act

\`POST /proxy\` with \`Prefer: handling=dry-run\` returns what the gateway would decide (\`forward\`, \`hold\` or \`deny\`), and why.
It sends and queues nothing, and it needs no idempotency key.`;

const baseUrl = ({ gatewayUrl, agent }: GuideFacts): string => `## Programs that let you set only a base URL

Give them \`${agent?.services[0]?.gatewayBaseUrl ?? `${gatewayUrl}/s/<service name>`}\` as base URL, and your agent key as \`Agent-Key\` or as
\`Authorization: Bearer agt_…\`. Requests below it are handled like requests to \`/proxy\`. State your intent in the header \`X-Intent\`: a
request without an intent counts as riskier.`;

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
| Time limit for the API's response | ${limits.upstreamTimeoutSeconds} s |
| \`intent\` | ${limits.intentCharacters} characters |
| \`targetUrl\` | ${limits.targetUrlCharacters} characters |`;

const hours = (count: number): string => (count === 1 ? '1 hour' : `${count} hours`);

/** Puts a name that people chose on one line, without characters that start a new line or code. */
const line = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}`]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
