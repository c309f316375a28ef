import { filterCount, readView, toFilter, toStatsFilter } from './filters.js';

const NOW = Date.parse('2026-05-08T12:00:00.000Z');
const view = (query: string) => readView(new URLSearchParams(query));

describe('the URL of the history', () => {
  it('shows the requests of the last week by default', () => {
    expect(toFilter(view(''), NOW)).toEqual({ from: '2026-05-01T12:00:00.000Z', kind: 'request' });
  });

  it('passes every filter to the API', () => {
    const query = 'range=24h&agent=3&service=4&outcome=held&method=DELETE&status=4&q=x&request=r1';
    expect(toFilter(view(query), NOW)).toEqual({
      from: '2026-05-07T12:00:00.000Z',
      kind: 'request',
      agentId: 3,
      serviceId: 4,
      outcome: 'held',
      method: 'DELETE',
      statusClass: 4,
      q: 'x',
      requestId: 'r1',
    });
    expect(filterCount(view(query))).toBe(6);
  });

  it('ignores unknown parameters', () => {
    expect(view('outcome=changed&method=FOO&status=9&agent=-1&range=1y&from=never&tab=x')).toEqual(view(''));
  });

  it('uses a custom range as given', () => {
    expect(toFilter(view('from=2026-05-01T00:00:00Z&to=2026-05-02T00:00:00Z'), NOW)).toMatchObject({
      from: '2026-05-01T00:00:00.000Z',
      to: '2026-05-02T00:00:00.000Z',
    });
  });

  it('searches executions by their own kind', () => {
    expect(toFilter(view('outcome=executed'), NOW)).toMatchObject({ kind: 'execution', outcome: 'executed' });
    expect(toFilter(view('outcome=refused'), NOW)).toMatchObject({ kind: 'request', outcome: 'refused' });
    expect(toFilter(view('outcome=execution_refused'), NOW)).toMatchObject({ kind: 'execution', outcome: 'refused' });
  });

  it('requests figures with every filter of the list', () => {
    for (const query of [
      'outcome=held&agent=3',
      'q=x&status=4&person=2',
      'tab=decisions&decision=denied&person=2&q=x',
    ]) {
      expect(toStatsFilter(view(query), NOW)).toEqual(toFilter(view(query), NOW));
    }
    // The figures of all requests include executions.
    const { kind, ...rest } = toFilter(view('q=x'), NOW);
    expect([kind, rest]).toEqual(['request', toStatsFilter(view('q=x'), NOW)]);
  });

  it('requests decisions and the changes of a person', () => {
    expect(toFilter(view('tab=decisions'), NOW)).toMatchObject({ decision: 'any' });
    expect(toFilter(view('tab=decisions&decision=approved&person=2'), NOW)).toMatchObject({
      decision: 'approved',
      actorId: 2,
    });
    expect(toFilter(view('tab=changes&person=2'), NOW)).toMatchObject({ kind: 'change', actorId: 2 });
    expect(toFilter(view('tab=access&person=2'), NOW)).toMatchObject({ kind: 'access', actorId: 2 });
    expect(toFilter(view('person=2'), NOW)).toMatchObject({ kind: 'request', actorId: 2 });
  });

  it('keeps only the filters of the tab', () => {
    expect(filterCount(view('tab=decisions&decision=denied&outcome=held&status=4&agent=3'))).toBe(2);
    expect(view('tab=changes&agent=3&outcome=held')).toEqual(view('tab=changes'));
    expect(view('decision=denied')).toEqual(view(''));
    expect(toFilter(view('rule=7'), NOW).observedRule).toBe(7);
  });
});
