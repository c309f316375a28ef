/** The name of the agent key's security scheme in the OpenAPI document. */
export const AGENT_KEY_SCHEME = 'agentKey';
