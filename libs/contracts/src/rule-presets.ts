/**
 * Rule sets that the dashboard offers for new services. The risk score alone can let some writes pass
 * (docs/reference/risk.md#presets). This file imports nothing.
 */

/** Each rule is a request body for `POST /services/:id/risk-rules`. */
export const RULE_PRESETS = [
  {
    key: 'ask-before-delete',
    title: 'Ask before DELETE',
    description: 'Every DELETE needs approval.',
    rules: [{ name: 'Ask before DELETE', effect: 'require_approval', methods: ['DELETE'] }],
  },
  {
    key: 'ask-before-write',
    title: 'Ask before every write',
    description: 'Every request that may change something needs approval.',
    rules: [
      { name: 'Ask before every write', effect: 'require_approval', methods: ['POST', 'PUT', 'PATCH', 'DELETE'] },
    ],
  },
  {
    key: 'reads-pass',
    title: 'Allow all reads',
    description: 'Reads are forwarded without a call to the model.',
    rules: [{ name: 'Allow all reads', effect: 'allow', methods: ['GET', 'HEAD', 'OPTIONS'] }],
  },
] as const;
export type RulePreset = (typeof RULE_PRESETS)[number];
