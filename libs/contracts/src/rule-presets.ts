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
    key: 'ask-before-mutations',
    title: 'Ask before GraphQL mutations',
    description: 'Every GraphQL request that may change something needs approval.',
    rules: [
      {
        name: 'Ask before GraphQL mutations',
        effect: 'require_approval',
        methods: [],
        when: 'graphql != null && graphql.type == "mutation"',
      },
    ],
  },
  {
    key: 'ask-first-time',
    title: 'Ask the first time an agent does something new',
    description: 'What an agent never did before in this service needs approval once.',
    rules: [
      {
        name: 'Ask the first time an agent does something new',
        effect: 'require_approval',
        methods: [],
        when: 'firstTime',
      },
    ],
  },
  {
    key: 'reads-pass',
    title: 'Allow all reads',
    description: 'Requests that only read are forwarded without a call to the model, whatever their method.',
    rules: [
      {
        name: 'Allow all reads',
        effect: 'allow',
        methods: [],
        when: 'effects.all(e, e in ["read", "personalData"])',
      },
    ],
  },
] as const;
export type RulePreset = (typeof RULE_PRESETS)[number];
