import { spawnSync } from 'node:child_process';
import ts from 'typescript';
import { KEY_PLACEHOLDER, snippets, type Snippet } from './snippets.js';

const of = (
  targetUrl: string,
  agentKey = KEY_PLACEHOLDER,
  gateway = 'http://127.0.0.1:3000',
): Record<Snippet['language'], string> =>
  Object.fromEntries(snippets({ gateway, agentKey, targetUrl }).map(({ language, code }) => [language, code])) as never;

describe('snippets', () => {
  it('includes gateway, key and target in every snippet', () => {
    const all = of('https://api.example.com/v1', 'agt_00ff');
    for (const key of ['shell', 'typescript', 'python'] as const) {
      expect(all[key]).toContain('127.0.0.1:3000');
      expect(all[key]).toContain('agt_00ff');
      expect(all[key]).toContain('https://api.example.com/v1');
    }
    expect(JSON.parse(all.json)).toEqual({
      mcpServers: {
        'agent-gateway': { type: 'http', url: 'http://127.0.0.1:3000/mcp', headers: { 'Agent-Key': 'agt_00ff' } },
      },
    });
    expect(all.env).toBe('GATEWAY_URL=http://127.0.0.1:3000\nAGENT_KEY=agt_00ff\n');
  });

  it('keeps a hostile URL inside its string', () => {
    const hostile = 'https://api.example.com/a\'b"c`d$(touch /tmp/x)\\';
    const all = of(hostile);
    // Replaces curl by a function that prints the body.
    const shown = 'curl() { for a; do [ "$p" = -d ] && printf "BODY%s\\n" "$a" >&2; p=$a; done; }\n';
    const run = spawnSync('sh', { input: shown + all.shell, encoding: 'utf8' });
    const body = /^BODY(.*)$/m.exec(run.stderr)![1]!;
    expect(JSON.parse(body)).toEqual({ method: 'GET', targetUrl: hostile, intent: 'Check that the gateway works' });
    expect(ts.transpileModule(all.typescript, { reportDiagnostics: true }).diagnostics).toEqual([]);
    expect(all.python).toContain(`"targetUrl": ${JSON.stringify(hostile)},`);
  });

  it('uses TLS like the gateway and keeps its path', () => {
    const { python } = of('https://api.example.com', 'k', 'https://gateway.example.com/agents');
    expect(python).toContain('HTTPSConnection("gateway.example.com", timeout=90)');
    expect(python).toContain('"/agents" + path');
  });
});
