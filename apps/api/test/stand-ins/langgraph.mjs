// @ts-nocheck The SDK's internals define the types; the test checks that it runs there.
/** A LangChain chat model that requests one deletion and repeats its result. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';

const DELETION = {
  method: 'DELETE',
  url: 'https://api.example.com/v1/customers/42',
  body: null,
  intent: 'The customer asked us to erase their account',
};

class StandIn extends BaseChatModel {
  _llmType() {
    return 'stand-in';
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const result = messages.find((message) => message.getType() === 'tool');
    const message = result
      ? new AIMessage(`Done: ${result.content}`)
      : new AIMessage({ content: '', tool_calls: [{ id: '1', name: 'call_api', args: DELETION, type: 'tool_call' }] });
    return { generations: [{ text: String(message.content), message }] };
  }
}

export const model = new StandIn({});
