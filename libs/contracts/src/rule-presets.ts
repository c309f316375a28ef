/** Rule sets that new services are offered, since the risk blend alone lets some writes pass (contract 8). This file imports nothing. */

/** Each rule is a body of `POST /services/:id/risk-rules`. */
export const RULE_PRESETS = [
  {
    key: 'ask-before-delete',
    title: 'Ask before DELETE',
    description: 'Every DELETE waits for a human.',
    rules: [{ name: 'Ask before DELETE', effect: 'require_approval', methods: ['DELETE'] }],
  },
  {
    key: 'ask-before-write',
    title: 'Ask before every write',
    description: 'Whatever may change something waits for a human.',
    rules: [
      { name: 'Ask before every write', effect: 'require_approval', methods: ['POST', 'PUT', 'PATCH', 'DELETE'] },
    ],
  },
  {
    key: 'reads-pass',
    title: 'Reads pass',
    description: 'Reads are forwarded without asking the model.',
    rules: [{ name: 'Reads pass', effect: 'allow', methods: ['GET', 'HEAD', 'OPTIONS'] }],
  },
] as const;
export type RulePreset = (typeof RULE_PRESETS)[number];
