// @ts-nocheck The SDK's internals define the types; the test checks that it runs there.
/** A model of the OpenAI Agents SDK that requests one deletion and repeats its result. */
import { Usage } from '@openai/agents';

const DELETION = {
  method: 'DELETE',
  url: 'https://api.example.com/v1/customers/42',
  body: null,
  intent: 'The customer asked us to erase their account',
};

export const model = {
  async getResponse({ input }) {
    const result = Array.isArray(input) ? input.find(({ type }) => type === 'function_call_result') : undefined;
    const output = result
      ? {
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: `Done: ${result.output.text ?? result.output}` }],
        }
      : { type: 'function_call', callId: 'call-1', name: 'call_api', arguments: JSON.stringify(DELETION) };
    return { usage: new Usage(), output: [output] };
  },
  getStreamedResponse() {
    throw new Error('The recipe does not stream');
  },
};
