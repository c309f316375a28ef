import { AGENT_KEY_HEADER, PROXY_STATUS_HEADER } from '#contracts/headers';
import { PREFER_WAIT_MAX_SECONDS } from '#contracts/limits';

/**
 * Programs that a new agent can start from: ask, wait for the human if need be, run, print. They work word for word. None follows
 * redirects: the agent key would go along to wherever an upstream points.
 */
export interface SnippetInput {
  /** `https://gateway.example.com`, where the agent reaches the gateway. */
  gateway: string;
  agentKey: string;
  /** What the first request reads. */
  targetUrl: string;
}

/** What stands in a snippet where no key may be shown. */
export const KEY_PLACEHOLDER = '<AGENT_KEY>';
const INTENT = 'Try the gateway';

const shell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** A JSON string is a string literal of TypeScript and of Python too. */
const literal = (text: string): string => JSON.stringify(text);
const request = ({ targetUrl }: SnippetInput) => ({ method: 'GET', targetUrl, intent: INTENT });

function curl(input: SnippetInput): string {
  return `GATEWAY=${shell(input.gateway)}
AGENT_KEY=${shell(input.agentKey)}

code=$(curl -sS -o answer.json -w '%{http_code}' "$GATEWAY/proxy" \\
  -H "${AGENT_KEY_HEADER}: $AGENT_KEY" -H 'Content-Type: application/json' \\
  -d ${shell(JSON.stringify(request(input)))})

# 428: held, nothing was sent. Wait until a human has decided, then run it, once.
if [ "$code" = 428 ]; then
  action=$(sed -n 's/.*"action_id":"\\([^"]*\\)".*/\\1/p' answer.json)
  status=PENDING
  while [ "$status" = PENDING ]; do
    status=$(curl -sS "$GATEWAY/status/$action" -H "${AGENT_KEY_HEADER}: $AGENT_KEY" \\
      -H 'Prefer: wait=${PREFER_WAIT_MAX_SECONDS}' | sed -n 's/^{"status":"\\([A-Z]*\\)".*/\\1/p')
  done
  echo "Decision: $status"
  if [ "$status" = APPROVED ]; then
    curl -sS -o answer.json -X POST "$GATEWAY/proxy/execute/$action" -H "${AGENT_KEY_HEADER}: $AGENT_KEY"
  fi
fi
cat answer.json
`;
}

function typescript(input: SnippetInput): string {
  return `const gateway = ${literal(input.gateway)};
const headers = { "${AGENT_KEY_HEADER}": ${literal(input.agentKey)}, "Content-Type": "application/json" };

let answer = await fetch(\`\${gateway}/proxy\`, {
  method: "POST",
  headers,
  redirect: "manual",
  body: JSON.stringify({
    method: "GET",
    targetUrl: ${literal(input.targetUrl)},
    intent: ${literal(INTENT)},
  }),
});

// 428: held, nothing was sent. Wait until a human has decided, then run it, once.
if (answer.status === 428 && !answer.headers.has("${PROXY_STATUS_HEADER}")) {
  const { action_id } = (await answer.json()) as { action_id: string };
  let status = "PENDING";
  while (status === "PENDING") {
    const check = await fetch(\`\${gateway}/status/\${action_id}\`, { headers: { ...headers, Prefer: "wait=${PREFER_WAIT_MAX_SECONDS}" } });
    ({ status } = (await check.json()) as { status: string });
  }
  if (status !== "APPROVED") throw new Error(\`Decision: \${status}\`);
  answer = await fetch(\`\${gateway}/proxy/execute/\${action_id}\`, { method: "POST", headers, redirect: "manual" });
}
console.log(answer.status, await answer.text());
`;
}

function python(input: SnippetInput): string {
  const { protocol, host, pathname } = new URL(input.gateway);
  const base = pathname.replace(/\/+$/, '');
  const connection = protocol === 'https:' ? 'HTTPSConnection' : 'HTTPConnection';
  return `import json
from http.client import ${connection}

HEADERS = {"${AGENT_KEY_HEADER}": ${literal(input.agentKey)}, "Content-Type": "application/json"}


def call(method, path, body=None, **headers):
    connection = ${connection}(${literal(host)}, timeout=90)
    connection.request(method, ${base ? `${literal(base)} + ` : ''}path, body, {**HEADERS, **headers})
    return connection.getresponse()


answer = call("POST", "/proxy", json.dumps({
    "method": "GET",
    "targetUrl": ${literal(input.targetUrl)},
    "intent": ${literal(INTENT)},
}))

# 428: held, nothing was sent. Wait until a human has decided, then run it, once.
if answer.status == 428 and not answer.getheader("${PROXY_STATUS_HEADER}"):
    action_id = json.load(answer)["action_id"]
    status = "PENDING"
    while status == "PENDING":
        status = json.load(call("GET", f"/status/{action_id}", Prefer="wait=${PREFER_WAIT_MAX_SECONDS}"))["status"]
    if status != "APPROVED":
        raise SystemExit(f"Decision: {status}")
    answer = call("POST", f"/proxy/execute/{action_id}")

print(answer.status, answer.read().decode())
`;
}

const env = ({ gateway, agentKey }: SnippetInput): string =>
  `AGENT_GATEWAY_URL=${gateway}\nAGENT_GATEWAY_KEY=${agentKey}\n`;

export interface Snippet {
  key: 'curl' | 'typescript' | 'python' | 'env';
  label: string;
  code: string;
}

export const snippets = (input: SnippetInput): Snippet[] => [
  { key: 'curl', label: 'curl', code: curl(input) },
  { key: 'typescript', label: 'TypeScript', code: typescript(input) },
  { key: 'python', label: 'Python', code: python(input) },
  { key: 'env', label: '.env', code: env(input) },
];
