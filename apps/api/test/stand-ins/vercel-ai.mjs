// @ts-nocheck The SDK's internals define the types; the test checks that it runs there.
/** A model of the Vercel AI SDK that requests one deletion and repeats its result. */
import { MockLanguageModelV3 } from 'ai/test';

const DELETION = {
  method: 'DELETE',
  url: 'https://api.example.com/v1/customers/42',
  body: null,
  intent: 'The customer asked us to erase their account',
};
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

export const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const result = prompt.find(({ role }) => role === 'tool')?.content[0].output.value;
    return result
      ? { content: [{ type: 'text', text: `Done: ${result}` }], finishReason: { unified: 'stop' }, usage, warnings: [] }
      : {
          content: [{ type: 'tool-call', toolCallId: '1', toolName: 'call_api', input: JSON.stringify(DELETION) }],
          finishReason: { unified: 'tool-calls' },
          usage,
          warnings: [],
        };
  },
});
