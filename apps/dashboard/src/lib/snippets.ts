/**
 * Ready-to-run snippets for agents. A new key is filled in once; later they have a placeholder. They do not follow
 * redirects, because the key would be sent to the new location.
 */
export interface SnippetInput {
  /** The URL of the gateway for agents. */
  gateway: string;
  agentKey: string;
  /** The URL of a harmless request to a service of the agent. */
  targetUrl: string;
}

export interface Snippet {
  name: string;
  language: 'shell' | 'typescript' | 'python' | 'json' | 'env' | 'skill';
  code: string;
}

export const KEY_PLACEHOLDER = '<AGENT_KEY>';
const INTENT = 'Check that the gateway works';

export const snippets = (input: SnippetInput): Snippet[] => [
  { name: 'curl', language: 'shell', code: curl(input) },
  { name: 'TypeScript', language: 'typescript', code: typescript(input) },
  { name: 'Python', language: 'python', code: python(input) },
  { name: 'MCP', language: 'json', code: mcp(input) },
  { name: 'SKILL.md', language: 'skill', code: skill(input) },
  { name: '.env', language: 'env', code: `GATEWAY_URL=${input.gateway}\nAGENT_KEY=${input.agentKey}\n` },
];

const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The configuration that most MCP clients use, in files such as `.mcp.json` and `~/.cursor/mcp.json`. */
function mcp({ gateway, agentKey }: SnippetInput): string {
  const server = { type: 'http', url: `${gateway}/mcp`, headers: { 'Agent-Key': agentKey } };
  return `${JSON.stringify({ mcpServers: { 'agent-gateway': server } }, null, 2)}\n`;
}

/** Fetches the guide for language models, with the services of this agent. The guide does not contain the key. */
function skill({ gateway, agentKey }: SnippetInput): string {
  const file = '.claude/skills/agent-gateway/SKILL.md';
  return `mkdir -p ${file.slice(0, file.lastIndexOf('/'))}
curl -fsS ${shellQuote(`${gateway}/SKILL.md`)} -H ${shellQuote(`Agent-Key: ${agentKey}`)} \\
  -o ${file}
`;
}

/** The whole flow in a POSIX shell: send, wait for the decision if held, execute, print. */
function curl({ gateway, agentKey, targetUrl }: SnippetInput): string {
  const body = JSON.stringify({ method: 'GET', targetUrl, intent: INTENT });
  return `GATEWAY=${shellQuote(gateway)}
AGENT_KEY=${shellQuote(agentKey)}

code=$(curl -sS -o answer.json -w '%{http_code}' "$GATEWAY/proxy" \\
  -H "Agent-Key: $AGENT_KEY" -H 'Content-Type: application/json' \\
  -d ${shellQuote(body)})

# 428: held, nothing was sent. Wait until a human has decided, then run it, once.
if [ "$code" = 428 ]; then
  action=$(sed -n 's/.*"action_id":"\\([^"]*\\)".*/\\1/p' answer.json)
  status=PENDING
  while [ "$status" = PENDING ]; do
    status=$(curl -sS "$GATEWAY/status/$action" -H "Agent-Key: $AGENT_KEY" \\
      -H 'Prefer: wait=60' | sed -n 's/^{"status":"\\([A-Z]*\\)".*/\\1/p')
  done
  echo "Decision: $status"
  if [ "$status" = APPROVED ]; then
    curl -sS -o answer.json -X POST "$GATEWAY/proxy/execute/$action" -H "Agent-Key: $AGENT_KEY"
  fi
fi
cat answer.json
`;
}

function typescript({ gateway, agentKey, targetUrl }: SnippetInput): string {
  return `const gateway = ${JSON.stringify(gateway)};
const headers = { "Agent-Key": ${JSON.stringify(agentKey)}, "Content-Type": "application/json" };

let answer = await fetch(gateway + "/proxy", {
  method: "POST",
  headers,
  redirect: "manual",
  body: JSON.stringify({
    method: "GET",
    targetUrl: ${JSON.stringify(targetUrl)},
    intent: ${JSON.stringify(INTENT)},
  }),
});

// 428: held, nothing was sent. Wait until a human has decided, then run it, once.
if (answer.status === 428 && !answer.headers.has("X-Proxy-Status")) {
  const { action_id } = (await answer.json()) as { action_id: string };
  let status = "PENDING";
  while (status === "PENDING") {
    const check = await fetch(gateway + "/status/" + action_id, { headers: { ...headers, Prefer: "wait=60" } });
    ({ status } = (await check.json()) as { status: string });
  }
  if (status !== "APPROVED") throw new Error("Decision: " + status);
  answer = await fetch(gateway + "/proxy/execute/" + action_id, { method: "POST", headers, redirect: "manual" });
}
console.log(answer.status, await answer.text());
`;
}

function python({ gateway, agentKey, targetUrl }: SnippetInput): string {
  const { protocol, host, pathname } = new URL(gateway);
  const base = pathname.replace(/\/+$/, '');
  const connection = protocol === 'https:' ? 'HTTPSConnection' : 'HTTPConnection';
  return `import json
from http.client import ${connection}

HEADERS = {"Agent-Key": ${JSON.stringify(agentKey)}, "Content-Type": "application/json"}


def call(method, path, body=None, **headers):
    connection = ${connection}(${JSON.stringify(host)}, timeout=90)
    connection.request(method, ${base ? `${JSON.stringify(base)} + ` : ''}path, body, {**HEADERS, **headers})
    return connection.getresponse()


answer = call("POST", "/proxy", json.dumps({
    "method": "GET",
    "targetUrl": ${JSON.stringify(targetUrl)},
    "intent": ${JSON.stringify(INTENT)},
}))

# 428: held, nothing was sent. Wait until a human has decided, then run it, once.
if answer.status == 428 and not answer.getheader("X-Proxy-Status"):
    action_id = json.load(answer)["action_id"]
    status = "PENDING"
    while status == "PENDING":
        status = json.load(call("GET", f"/status/{action_id}", Prefer="wait=60"))["status"]
    if status != "APPROVED":
        raise SystemExit(f"Decision: {status}")
    answer = call("POST", f"/proxy/execute/{action_id}")

print(answer.status, answer.read().decode())
`;
}
