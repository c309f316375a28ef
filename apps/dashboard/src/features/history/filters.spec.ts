import { filterCount, readView, toFilter, toStatsFilter } from './filters.js';

const NOW = Date.parse('2026-05-08T12:00:00.000Z');
const view = (query: string) => readView(new URLSearchParams(query));

describe('the URL of the history', () => {
  it('means the last week of requests when it says nothing', () => {
    expect(toFilter(view(''), NOW)).toEqual({ from: '2026-05-01T12:00:00.000Z', kind: 'request' });
  });

  it('carries every filter to the API', () => {
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

  it('forgets what it does not know', () => {
    expect(view('outcome=changed&method=FOO&status=9&agent=-1&range=1y&from=never&tab=x')).toEqual(view(''));
  });

  it('takes a custom range as given', () => {
    expect(toFilter(view('from=2026-05-01T00:00:00Z&to=2026-05-02T00:00:00Z'), NOW)).toMatchObject({
      from: '2026-05-01T00:00:00.000Z',
      to: '2026-05-02T00:00:00.000Z',
    });
  });

  it('looks for executions where they are, and leaves the outcome out of the figures', () => {
    expect(toFilter(view('outcome=executed'), NOW)).toMatchObject({ kind: 'execution', outcome: 'executed' });
    expect(toFilter(view('outcome=refused'), NOW)).toMatchObject({ kind: 'request', outcome: 'refused' });
    expect(toFilter(view('outcome=execution_refused'), NOW)).toMatchObject({ kind: 'execution', outcome: 'refused' });
    expect(toStatsFilter(view('outcome=held&agent=3'), NOW)).toEqual({ from: '2026-05-01T12:00:00.000Z', agentId: 3 });
  });
});
