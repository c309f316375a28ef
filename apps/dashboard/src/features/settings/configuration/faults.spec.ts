import { faultsIn } from './faults.js';

describe('the faults of a file', () => {
  it('are apart, each with its place', () => {
    const first = 'services.0.rules.1.effect: must be one of the following values: allow; or deny';
    expect(faultsIn(`${first}; agents.2.services.0: must be a string; version: must be 1`)).toEqual([
      { place: 'service 1, rule 2, effect', text: 'must be one of the following values: allow; or deny' },
      { place: 'agent 3, service 1', text: 'must be a string' },
      { place: 'version', text: 'must be 1' },
    ]);
  });

  it('may have no place', () => {
    const text = 'Two services are called "Shop": rename one of them';
    expect(faultsIn(text)).toEqual([{ place: null, text }]);
  });
});
