import type { AgentDescription } from '#contracts';
import { agentLinks } from './agent-description.js';

const GATEWAY_URL = 'https://gateway.example';

/** An example for the OpenAPI document. */
export const DESCRIPTION: AgentDescription = {
  id: 3,
  name: 'support-bot',
  services: [
    {
      id: 7,
      name: 'Shop',
      baseUrl: 'https://api.example.com/v1',
      gatewayBaseUrl: `${GATEWAY_URL}/s/Shop`,
      credentialHeaders: ['authorization'],
      documented: true,
      rules: ['DELETE requests: held until a human approves (rule "Ask before DELETE")'],
    },
  ],
  otherwise:
    'Every other request gets a risk score from 0 to 1. Below 0.5 it is sent immediately; from 0.5 on it is held until a ' +
    'human approves.',
  limits: {
    riskThreshold: 0.5,
    bodyBytes: 10_485_760,
    upstreamTimeoutSeconds: 30,
    intentCharacters: 500,
    targetUrlCharacters: 8192,
    waitSeconds: 60,
    pollSeconds: 8,
    decideWithinHours: 24,
    executeWithinHours: 1,
    idempotencyKeyHours: 24,
  },
  links: agentLinks(GATEWAY_URL),
};
