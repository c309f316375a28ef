import type { Service } from '#contracts';
import { QUESTIONS } from './corpus/search-questions.js';
import { DESCRIPTIONS } from './support/descriptions.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { McpAgent } from './support/mcp-client.js';
import { createDocument } from './support/resources.js';

type Api = keyof typeof DESCRIPTIONS;
const APIS = Object.keys(DESCRIPTIONS) as Api[];

let gateway: Gateway;
let agent: McpAgent;
const services = new Map<Api, Service>();
beforeAll(async () => {
  gateway = await startGateway();
  for (const api of APIS) {
    const service = await gateway.createService({ name: api, baseUrl: `${gateway.upstream.url}/${api}` });
    const content = DESCRIPTIONS[api]();
    await createDocument(gateway.app, gateway.token, service.id, { type: 'openapi', title: api, content });
    services.set(api, service);
  }
  const ids = [...services.values()].map(({ id }) => id);
  const { apiKey } = await gateway.createAgent('asking-bot', ids);
  agent = await McpAgent.connect(gateway.url, { 'Agent-Key': apiKey });
});
afterAll(async () => {
  await agent?.close();
  await gateway?.close();
});

/** The operations that search_docs finds, as `GitHub: DELETE /repos/{owner}/{repo}`. */
async function search(given: { query: string; service?: Api; limit?: number }): Promise<string[]> {
  const { operations } = await agent.ask<{ operations: { service: Api; method: string; url: string }[] }>(
    'search_docs',
    given,
  );
  return operations.map(({ service, method, url }) => {
    const base = services.get(service)!.baseUrl;
    expect(url.startsWith(base)).toBe(true);
    return `${service}: ${method} ${url.slice(base.length)}`;
  });
}

describe('search_docs on the descriptions of GitHub, Figma, Netlify and Directus', () => {
  it('finds the right operation among the first three for at least 45 of 50 plain questions', async () => {
    const misses: object[] = [];
    let asked = 0;
    for (const api of APIS) {
      for (const [query, ...answers] of QUESTIONS[api]) {
        asked += 1;
        const found = await search({ query, service: api, limit: 3 });
        if (!answers.some((answer) => found.includes(`${api}: ${answer}`))) misses.push({ query, answers, found });
      }
    }
    expect(asked).toBe(50);
    // If there are too many misses, the failure prints them.
    expect(misses.length > 5 ? misses : []).toEqual([]);
  });

  it('finds "delete a repository" first in GitHub\'s description, among all services too', async () => {
    const operation = 'GitHub: DELETE /repos/{owner}/{repo}';
    expect((await search({ query: 'delete a repository', service: 'GitHub' }))[0]).toBe(operation);
    expect((await search({ query: 'delete a repository' }))[0]).toBe(operation);
    expect((await search({ query: 'Please REMOVE this repo!' }))[0]).toBe(operation);
    expect((await search({ query: 'deleteRepository' }))[0]).toBe(operation);
  });

  it('ranks a small API by the same measure as a large one', async () => {
    expect((await search({ query: 'delete a webhook' })).slice(0, 5)).toContain(
      'Figma: DELETE /v2/webhooks/{webhook_id}',
    );
    expect((await search({ query: 'delete a site' }))[0]).toBe('Netlify: DELETE /sites/{site_id}');
  });

  it('finds nothing by a verb alone when no text mentions the rest', async () => {
    expect(await search({ query: 'delete a zeppelin' })).toEqual([]);
    expect((await search({ query: 'delete' })).every((found) => found.includes(' DELETE '))).toBe(true);
  });

  it('finds the text of a new document as soon as it is attached', async () => {
    const service = services.get('Figma')!;
    expect(await search({ query: 'launch a balloon', service: 'Figma' })).toEqual([]);
    await createDocument(gateway.app, gateway.token, service.id, {
      type: 'openapi',
      title: 'Balloons',
      content: JSON.stringify({
        openapi: '3.1.0',
        paths: { '/balloons': { post: { description: 'Lets a balloon rise. It takes a while.', responses: {} } } },
      }),
    });
    expect(await search({ query: 'launch a balloon', service: 'Figma' })).toEqual(['Figma: POST /balloons']);
  });
});
