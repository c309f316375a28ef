/** The dashboard and the alerts of `deploy/grafana` ask for what `GET /metrics` has, and the runbook knows each alert. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ERROR_CODES } from '#contracts/error-codes';
import { RISK_SOURCES } from '#contracts/states';
import { DOORS, OUTCOMES } from '../apps/api/src/observability/metric-words.js';
import { Metrics } from '../apps/api/src/observability/metrics.js';
import { Clock } from '../apps/api/src/platform/clock.js';
import type { MetricsConfig } from '../apps/api/src/platform/config.js';
import { samples } from '../apps/api/test/support/scrape.js';
import { readExpression, type Exposed, type Reading } from '../test/promql.js';

const read = (file: string): string => readFileSync(join(process.cwd(), file), 'utf8');
const JOB = 'agent-gateway';

/** Metrics that neither the dashboard nor an alert shows, and why. */
const UNUSED: Record<string, string> = {
  agw_agent_requests_total: 'is there only with METRICS_DETAIL=agents',
  agw_reloads_total: 'says nothing alone: each change of an agent or a token counts',
  agw_sealed_total: 'the queue `sealing` says whether sealing works',
  agw_spans_dropped_total: 'only an installation with traces needs it',
};

interface Panel {
  id: number;
  type: string;
  title: string;
  description: string;
  datasource: { uid: string };
  fieldConfig: { defaults: { unit: string } };
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { expr: string; legendFormat: string }[];
}
interface Variable {
  name: string;
  type: string;
  query: string | { query: string };
}
interface Alert {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: Record<string, string>;
}

const dashboard = JSON.parse(read('deploy/grafana/dashboard.json')) as {
  panels: Panel[];
  templating: { list: Variable[] };
};
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const { groups } = parse(read('deploy/grafana/alerts.yaml')) as { groups: { rules: Alert[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);

/** Labels whose words nobody knows before. */
const FREE = new Set(['version', 'node', 'agent', 'le']);

/** Everything that `/metrics` can have, with the labels that Prometheus adds. */
async function listExposed(): Promise<{ families: string[]; exposed: Exposed }> {
  const metrics = new Metrics(new Clock(), { agentDetail: true } as MetricsConfig);
  for (const door of DOORS) for (const outcome of OUTCOMES) metrics.request(door, outcome, 'none', 0);
  for (const reason of [...Object.keys(ERROR_CODES), ...RISK_SOURCES, 'repeat'])
    metrics.request('proxy', 'refused', reason, null);
  for (const outcome of OUTCOMES) metrics.agentRequest(1, outcome);
  const text = await metrics.text();
  metrics.onApplicationShutdown();
  const prometheus: [string, Set<string> | null][] = [
    ['job', new Set([JOB])],
    ['instance', null],
  ];
  const exposed = new Map<string, Map<string, Set<string> | null>>([['up', new Map(prometheus)]]);
  for (const { name, labels } of samples(text)) {
    const known = exposed.get(name) ?? new Map(prometheus);
    exposed.set(name, known);
    for (const [label, word] of Object.entries(labels))
      known.set(label, FREE.has(label) ? null : (known.get(label) ?? new Set<string>()).add(word));
  }
  return { families: Array.from(text.matchAll(/^# TYPE (\w+)/gm), ([, name]) => name), exposed };
}

describe('the dashboard and the alerts', () => {
  let families: string[];
  let exposed: Exposed;
  /** Each expression, and the text that names labels of its result. */
  let all: { place: string; text: string; reading: Reading }[];

  beforeAll(async () => {
    ({ families, exposed } = await listExposed());
    const asked = [
      ...panels.flatMap(({ title, targets }) =>
        targets.map(({ expr, legendFormat }) => ({
          place: title,
          expr: expr.replaceAll('$__rate_interval', '5m'),
          text: legendFormat.replaceAll(/\{\{(\w+)\}\}/g, '$labels.$1'),
        })),
      ),
      ...alerts.map(({ alert, expr, annotations }) => ({
        place: alert,
        expr,
        // The text has another branch if the label is not there.
        text: Object.values(annotations)
          .join(' ')
          .replaceAll(/\{\{ with [^}]*\}\}/g, ''),
      })),
    ];
    all = asked.map(({ place, expr, text }) => ({ place, text, reading: readExpression(expr, exposed) }));
  });

  it('ask only for metrics, labels and words that there are', () => {
    expect(all.length).toBeGreaterThan(40);
    expect(all.flatMap(({ place, reading }) => reading.faults.map((fault) => `${place}: ${fault}`))).toEqual([]);
  });

  it('name only labels that the result has', () => {
    const missing = all.flatMap(({ place, text, reading }) =>
      Array.from(text.matchAll(/\$labels\.(\w+)/g), ([, label]) => label)
        .filter((label) => !reading.labels.has(label))
        .map((label) => `${place}: ${label}`),
    );
    expect(missing).toEqual([]);
  });

  it('add up what each process counts, and not what is equal on all instances', () => {
    const shared = all.flatMap(({ place, reading }) =>
      [...reading.summed].filter((metric) => /^agw_(?:actions_open|queue_)/.test(metric)).map(() => place),
    );
    expect(shared).toEqual([]);
  });

  it('use every metric, except those that this list gives a reason for', () => {
    const used = new Set(all.flatMap(({ reading }) => [...reading.metrics]));
    const unused = families.filter(
      (family) => !['', '_bucket', '_sum', '_count'].some((end) => used.has(family + end)),
    );
    expect(unused.sort()).toEqual(Object.keys(UNUSED).sort());
  });

  it.each([
    ['sum(rate(agw_requests_total[5m])', 'syntax error before ""'],
    ['agw_request_total', 'no metric agw_request_total'],
    ['agw_step_seconds', 'no metric agw_step_seconds'],
    ['agw_database_up{state="x"}', 'agw_database_up has no label state'],
    ['agw_queue_depth{queue="letters"}', 'queue of agw_queue_depth is never letters'],
    ['agw_requests_total{reason=~"gateway_busy|database_gone"}', 'reason of agw_requests_total is never database_gone'],
    ['up{job="gateway"}', 'job of up is never gateway'],
    ['sum by (queue) (agw_actions_open)', '"by (queue)": no label queue'],
    ['sum by (class) (sum(rate(agw_upstream_answers_total[5m])))', '"by (class)": no label class'],
    ['agw_database_up * on (state) agw_actions_open', '"on (state)": no label state'],
    [
      'sum by (state) (agw_actions_open) / max(agw_queue_depth)',
      '{state} never meets {} in "sum by (state) (agw_actions_open) / max(agw_queue_depth)"',
    ],
    [
      'histogram_quantile(0.5, sum(rate(agw_step_seconds_bucket[5m])))',
      '"histogram_quantile(0.5, sum(rate(agw_step_seconds_bucket[5m])))": no label le',
    ],
    ['rate(agw_database_up[5m])', '"rate(agw_database_up[5m])": of a counter or a gauge?'],
  ])('would not ask %s', (expression, fault) => {
    expect(readExpression(expression, exposed).faults).toEqual([fault]);
  });
});

describe('the dashboard', () => {
  it('says of each panel what it shows, and in which unit', () => {
    for (const { title, description, fieldConfig, datasource } of panels) {
      expect([title, description?.length > 10, fieldConfig.defaults.unit]).toEqual([
        expect.stringMatching(/^[A-Z0-9]/),
        true,
        expect.stringMatching(/^(?:short|s|reqps|bytes|percentunit)$/),
      ]);
      expect(datasource.uid).toBe('${datasource}');
    }
    const ids = dashboard.panels.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it('asks for the instances that are chosen, and offers those that there are', async () => {
    const others = panels
      .flatMap(({ targets }) => targets)
      .filter(({ expr }) => !expr.includes('instance=~"$instance"'));
    expect(others).toEqual([]);
    const [datasource, instance] = dashboard.templating.list;
    expect(datasource).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
    const { query } = instance.query as { query: string };
    const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(query)!;
    const { exposed } = await listExposed();
    expect([instance.name, label, exposed.get(metric)?.has(label)]).toEqual(['instance', 'instance', true]);
  });

  it('has panels that do not overlap', () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });
});

describe('each alert', () => {
  it('says how urgent it is, what happened, and where to look', () => {
    for (const { alert, for: time, labels, annotations } of alerts) {
      expect([alert, labels.severity, time]).toEqual([
        expect.stringMatching(/^AgentGateway[A-Z]\w+$/),
        expect.stringMatching(/^(?:page|ticket)$/),
        expect.stringMatching(/^\d+[mh]$/),
      ]);
      expect(Object.keys(annotations)).toEqual(['summary', 'description', 'runbook_url']);
      expect(annotations.description).toMatch(/\bLook (?:at|for) /);
    }
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  });

  it('is tried with numbers for which it must come', () => {
    const tried = read('deploy/grafana/alerts.test.yaml');
    expect(alerts.filter(({ alert }) => !tried.includes(`alertname="${alert}"`))).toEqual([]);
  });

  it('has a place of its own in the runbook, and each place there an alert', () => {
    const linked = alerts.map(({ alert, annotations }) => `${alert} ${annotations.runbook_url}`);
    const headings = Array.from(
      read('docs/runbook.md').matchAll(/^## (\w+) <a id="([\w-]+)"><\/a>$/gm),
      ([, alert, anchor]) => `${alert} docs/runbook.md#${anchor}`,
    );
    expect(headings).toEqual(linked);
  });

  const { error: missing } = spawnSync('promtool', ['--version']);
  (missing ? it.skip : it)('can be read by Prometheus (skipped without promtool)', () => {
    for (const args of [
      ['check', 'rules', 'deploy/grafana/alerts.yaml'],
      ['check', 'config', '--syntax-only', 'deploy/prometheus.yaml'],
      ['test', 'rules', 'deploy/grafana/alerts.test.yaml'],
    ]) {
      const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout).toContain('SUCCESS');
    }
  });
});
