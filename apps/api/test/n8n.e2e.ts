import { readFileSync } from 'node:fs';
import type { Action } from '#contracts';
import { EventHub } from '../src/events/event-hub.js';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';

/**
 * Runs docs/agents/n8n-workflow.json: makes the HTTP calls and follows the branches of its nodes' parameters, as n8n
 * does.
 */
interface Node {
  name: string;
  type: string;
  parameters: {
    method: string;
    url: string;
    authentication?: string;
    genericAuthType?: string;
    headerParameters?: { parameters: { name: string; value: string }[] };
    jsonBody?: string;
    options: {
      redirect?: { redirect: { followRedirects: boolean } };
      response: { response: { fullResponse: boolean; neverError?: boolean } };
    };
    conditions: { conditions: { leftValue: string; rightValue: string; operator: { operation: string } }[] };
  };
}
type Item = {
  statusCode: number;
  headers: Record<string, string>;
  body: { status?: string } & Record<string, unknown>;
};

interface Workflow {
  nodes: Node[];
  connections: Record<string, { main: { node: string }[][] }>;
}

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  gateway.upstream.answer((_call, response) => response.writeHead(204).end());
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
});

function load(): Workflow {
  const text = readFileSync('docs/agents/n8n-workflow.json', 'utf8')
    .replaceAll('http://127.0.0.1:3000', gateway.url)
    .replaceAll('https://api.example.com/v1', `${gateway.upstream.url}/v1`);
  return JSON.parse(text) as Workflow;
}

/** `=text {{ expression }}`, as n8n evaluates it. */
function evaluate(text: string, $json: Item | null, executionId: string): string {
  if (!text.startsWith('=')) return text;
  return text.slice(1).replace(/\{\{(.*?)\}\}/g, (_all, expression: string) => {
    // eslint-disable-next-line @typescript-eslint/no-implied-eval
    const compute = new Function('$json', '$execution', `return ${expression}`) as (...args: unknown[]) => unknown;
    return String(compute($json, { id: executionId }));
  });
}

async function request({ parameters }: Node, item: Item | null, executionId: string): Promise<Item> {
  const { options } = parameters;
  expect(options.response.response.fullResponse).toBe(true);
  const headers = Object.fromEntries(
    (parameters.headerParameters?.parameters ?? []).map(({ name, value }) => [
      name,
      evaluate(value, item, executionId),
    ]),
  );
  // The credential that the page describes.
  expect(parameters).toMatchObject({ authentication: 'genericCredentialType', genericAuthType: 'httpHeaderAuth' });
  headers['Agent-Key'] = gateway.agentKey;
  if (parameters.jsonBody !== undefined) headers['Content-Type'] = 'application/json';
  const answer = await fetch(evaluate(parameters.url, item, executionId), {
    method: parameters.method,
    headers,
    body: parameters.jsonBody,
    redirect: options.redirect?.redirect.followRedirects === false ? 'manual' : 'follow',
  });
  if (!answer.ok && options.response.response.neverError !== true) throw new Error(`HTTP ${answer.status}`);
  const text = await answer.text();
  const body = text === '' ? {} : (JSON.parse(text) as Item['body']);
  return { statusCode: answer.status, headers: Object.fromEntries(answer.headers), body };
}

/** @returns the nodes in the order in which they ran, and the last item */
async function execute({ nodes, connections }: Workflow, executionId: string) {
  const path: string[] = [];
  let item: Item | null = null;
  for (let name: string | undefined = 'Start'; name !== undefined;) {
    const node = nodes.find((each) => each.name === name)!;
    path.push(name);
    let branch = 0;
    if (node.type === 'n8n-nodes-base.httpRequest') item = await request(node, item, executionId);
    if (node.type === 'n8n-nodes-base.if') {
      const [{ leftValue, rightValue, operator }] = node.parameters.conditions.conditions;
      expect(operator.operation).toBe('equals');
      branch = evaluate(leftValue, item, executionId) === rightValue ? 0 : 1;
    }
    name = connections[name]?.main[branch]?.[0]?.node;
  }
  return { path, item };
}

it('is forwarded', async () => {
  gateway.model.answer({ score: 0 });
  const { path, item } = await execute(load(), '1');
  expect(path).toEqual(['Start', 'Request', 'Held?']);
  expect(item).toMatchObject({ statusCode: 204, headers: { 'x-proxy-status': 'forwarded' } });
});

it.each([
  ['approve', ['Execute'], 1],
  ['deny', [], 0],
] as const)(
  'is held, waits, and follows the decision of a person: %s',
  async (decision, rest, sent) => {
    gateway.model.answer({ score: 1 });
    // Replays the first minute without a decision.
    const workflow = load();
    workflow.nodes.find(({ name }) => name === 'Request')!.parameters.headerParameters!.parameters[0].value = 'wait=0';
    const running = execute(workflow, decision);
    const created = new Promise<string>((resolve) =>
      gateway.app.app.get(EventHub).subscribe({
        workspaceId: gateway.agent.userId,
        userId: gateway.agent.userId,
        onEvent: ({ type, id }) => type === 'action.created' && resolve(String(id)),
        onEnd: () => undefined,
      }),
    );
    const id = await created;
    await eventually(async () => (await gateway.admin<Action>(`GET /approvals/${id}`)).last_polled_at);
    await gateway.admin(`PATCH /approvals/${id}/${decision}`, {});
    const { path } = await running;
    expect(path.slice(0, 4)).toEqual(['Start', 'Request', 'Held?', 'Wait for the decision']);
    expect(path.slice(-1 - rest.length)).toEqual(['Approved?', ...rest]);
    expect(gateway.upstream.calls).toHaveLength(sent);
  },
  30_000,
);
