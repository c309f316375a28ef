/** How an agent calls the gateway, ready to run: with its key filled in once, or with a placeholder later. */
export interface SnippetInput {
  /** Where agents reach the gateway. */
  gateway: string;
  agentKey: string;
  /** A harmless request below a service of the agent's. */
  targetUrl: string;
}

export interface Snippet {
  name: string;
  language: 'shell' | 'typescript' | 'python' | 'env';
  code: string;
}

export const KEY_PLACEHOLDER = '<AGENT_KEY>';
const INTENT = 'Check that the gateway works';

export const snippets = (input: SnippetInput): Snippet[] => [
  { name: 'curl', language: 'shell', code: curl(input) },
  { name: 'TypeScript', language: 'typescript', code: typescript(input) },
  { name: 'Python', language: 'python', code: python(input) },
  { name: '.env', language: 'env', code: `GATEWAY_URL=${input.gateway}\nAGENT_KEY=${input.agentKey}\n` },
];

const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function curl({ gateway, agentKey, targetUrl }: SnippetInput): string {
  const body = JSON.stringify({ method: 'GET', targetUrl, intent: INTENT });
  return [
    `curl -sS ${shellQuote(`${gateway}/proxy`)}`,
    `-H ${shellQuote(`Agent-Key: ${agentKey}`)}`,
    `-H 'Content-Type: application/json'`,
    `-d ${shellQuote(body)}`,
  ].join(' \\\n  ');
}

function typescript({ gateway, agentKey, targetUrl }: SnippetInput): string {
  return `const gateway = ${JSON.stringify(gateway)};
const headers = { 'Agent-Key': ${JSON.stringify(agentKey)}, 'Content-Type': 'application/json' };

/** Sends a request through the gateway. If a human must approve it, waits for the decision. */
async function send(call: { method: string; targetUrl: string; intent: string; body?: string }): Promise<Response> {
  const answer = await fetch(gateway + '/proxy', {
    method: 'POST',
    headers: { ...headers, 'Idempotency-Key': crypto.randomUUID() },
    body: JSON.stringify(call),
  });
  if (answer.status !== 428) return answer;
  const { status_url } = await answer.json();
  for (;;) {
    const status = await (await fetch(gateway + status_url, { headers: { ...headers, Prefer: 'wait=60' } })).json();
    if (status.status === 'APPROVED') return fetch(gateway + status.execute_url, { method: 'POST', headers });
    if (status.status !== 'PENDING') throw new Error(status.resolution_note ?? status.error ?? status.status);
  }
}

const answer = await send({ method: 'GET', targetUrl: ${JSON.stringify(targetUrl)}, intent: ${JSON.stringify(INTENT)} });
console.log(answer.status, await answer.text());
`;
}

function python({ gateway, agentKey, targetUrl }: SnippetInput): string {
  return `import json, urllib.error, urllib.request, uuid

GATEWAY = ${JSON.stringify(gateway)}
AGENT_KEY = ${JSON.stringify(agentKey)}


def call(method, path, body=None, **headers):
    headers = {"Agent-Key": AGENT_KEY, "Content-Type": "application/json"} | {k.replace("_", "-"): v for k, v in headers.items()}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(GATEWAY + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def send(method, target_url, intent, body=None):
    """Sends a request through the gateway. If a human must approve it, waits for the decision."""
    request = {"method": method, "targetUrl": target_url, "intent": intent, "body": body}
    status, answer = call("POST", "/proxy", request, Idempotency_Key=str(uuid.uuid4()))
    if status != 428:
        return status, answer
    status_url = json.loads(answer)["status_url"]
    while True:
        decision = json.loads(call("GET", status_url, Prefer="wait=60")[1])
        if decision.get("status") == "APPROVED":
            return call("POST", decision["execute_url"])
        if decision.get("status") != "PENDING":
            raise RuntimeError(decision.get("resolution_note") or decision.get("error") or decision.get("status"))


print(*send("GET", ${JSON.stringify(targetUrl)}, ${JSON.stringify(INTENT)}))
`;
}
