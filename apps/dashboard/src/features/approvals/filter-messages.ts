export const filterMessages = {
  agent: 'Agent',
  service: 'Service',
  risk: 'Risk',
  method: 'Method',
  sort: 'Sort',
  any: 'Any',
  riskFrom: { high: 'High and critical', critical: 'Critical', medium: 'Medium and higher' },
} as const;
