/** What an expression of PromQL reads, and which labels its result has, for the tests of dashboards and alerts. */
import { parser } from '@prometheus-io/lezer-promql';

type Node = ReturnType<typeof parser.parse>['topNode'];

/** The labels of each metric with their words; null: any word. */
export type Exposed = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string> | null>>;

export interface Reading {
  /** What Prometheus would refuse, or answer with nothing. */
  faults: string[];
  metrics: Set<string>;
  /** The metrics that a sum adds up. */
  summed: Set<string>;
  /** The labels of the result. */
  labels: ReadonlySet<string>;
}

const WRAPPERS = [
  'ParenExpr',
  'OffsetExpr',
  'MatrixSelector',
  'SubqueryExpr',
  'UnaryExpr',
  'StepInvariantExpr',
  'PromQL',
];
const SCALARS = ['NumberDurationLiteral', 'StringLiteral'];
const EXPRESSIONS = new Set([...WRAPPERS, ...SCALARS, 'AggregateExpr', 'BinaryExpr', 'FunctionCall', 'VectorSelector']);
/** Functions whose result has the labels of their argument. */
const KEEPING = ['abs', 'increase', 'max_over_time', 'min_over_time', 'rate'];
const OF_COUNTERS = ['increase', 'rate'];

const childrenOf = (node: Node): Node[] => {
  const children: Node[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
};
const expressionsIn = (node: Node): Node[] => childrenOf(node).filter(({ name }) => EXPRESSIONS.has(name));
const same = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((label) => b.has(label));

export function readExpression(text: string, exposed: Exposed): Reading {
  return new Reader(text, exposed).reading;
}

class Reader {
  readonly reading: Reading;
  private readonly faults: string[] = [];
  private readonly metrics = new Set<string>();
  private readonly summed = new Set<string>();

  constructor(
    private readonly text: string,
    private readonly exposed: Exposed,
  ) {
    const tree = parser.parse(text);
    tree.iterate({
      enter: ({ type, from }) => {
        if (type.isError) this.faults.push(`syntax error before "${text.slice(from, from + 20)}"`);
      },
    });
    const labels = (this.faults.length === 0 && this.labelsOf(tree.topNode)) || new Set<string>();
    this.reading = { faults: this.faults, metrics: this.metrics, summed: this.summed, labels };
  }

  private textOf(node: Node | null): string {
    return node === null ? '' : this.text.slice(node.from, node.to);
  }

  /** @returns null: the result is a number or a text, and has no series */
  private labelsOf(node: Node): ReadonlySet<string> | null {
    if (SCALARS.includes(node.name)) return null;
    if (node.name === 'VectorSelector') return this.ofSelector(node);
    if (node.name === 'AggregateExpr') return this.ofAggregate(node);
    if (node.name === 'BinaryExpr') return this.ofPair(node);
    if (node.name === 'FunctionCall') return this.ofFunction(node);
    if (WRAPPERS.includes(node.name)) return this.labelsOf(expressionsIn(node)[0]);
    this.faults.push(`${node.name} is not known to this test`);
    return null;
  }

  private ofSelector(node: Node): ReadonlySet<string> {
    const metric = this.textOf(node.getChild('Identifier'));
    this.metrics.add(metric);
    const labels = this.exposed.get(metric);
    if (labels === undefined) {
      this.faults.push(`no metric ${metric}`);
      return new Set();
    }
    for (const { label, operator, value } of this.matchersOf(node)) {
      const words = labels.get(label);
      if (words === undefined) this.faults.push(`${metric} has no label ${label}`);
      // Each alternative of a pattern must have a word of its own.
      for (const word of operator.endsWith('~') ? value.split('|') : [value]) {
        const fits = operator.endsWith('~') ? new RegExp(`^(?:${word})$`) : undefined;
        if (words && ![...words].some((each) => fits?.test(each) ?? each === word))
          this.faults.push(`${label} of ${metric} is never ${word}`);
      }
    }
    return new Set(labels.keys());
  }

  private matchersOf(selector: Node): { label: string; operator: string; value: string }[] {
    const matchers = selector.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
    return matchers.map((matcher) => ({
      label: this.textOf(matcher.getChild('LabelName')),
      operator: this.textOf(matcher.getChild('MatchOp')),
      value: this.textOf(matcher.getChild('StringLiteral')).slice(1, -1),
    }));
  }

  private ofAggregate(node: Node): ReadonlySet<string> {
    const before = new Set(this.metrics);
    this.metrics.clear();
    const inner = expressionsIn(node.getChild('FunctionCallBody')!).map((each) => this.labelsOf(each));
    if (this.textOf(node.getChild('AggregateOp')) === 'sum') for (const metric of this.metrics) this.summed.add(metric);
    for (const metric of before) this.metrics.add(metric);
    const labels = inner.find((each) => each !== null) ?? new Set<string>();
    const modifier = node.getChild('AggregateModifier');
    const named = this.namesIn(modifier, labels);
    return modifier?.getChild('Without') ? new Set([...labels].filter((label) => !named.has(label))) : named;
  }

  /** The labels that a clause names, each of which must be there. */
  private namesIn(clause: Node | null, labels: ReadonlySet<string>): Set<string> {
    const names = clause?.getChild('GroupingLabels')?.getChildren('LabelName') ?? [];
    const named = new Set(names.map((name) => this.textOf(name)));
    for (const name of named) if (!labels.has(name)) this.faults.push(`"${this.textOf(clause)}": no label ${name}`);
    return named;
  }

  private ofPair(node: Node): ReadonlySet<string> | null {
    const [left, right] = expressionsIn(node).map((each) => this.labelsOf(each));
    if (left === null || right === null) return left ?? right;
    if (node.getChild('Or')) return new Set([...left].filter((label) => right.has(label)));
    const clause = node.getChild('MatchingModifierClause');
    const common = new Set([...left].filter((label) => right.has(label)));
    if (clause !== null) this.namesIn(clause, common);
    else if (!same(left, right))
      this.faults.push(`{${[...left].join()}} never meets {${[...right].join()}} in "${this.textOf(node)}"`);
    return left;
  }

  private ofFunction(node: Node): ReadonlySet<string> {
    const name = this.textOf(node.getChild('FunctionIdentifier'));
    const parts = expressionsIn(node.getChild('FunctionCallBody')!);
    const labels = parts.map((part) => this.labelsOf(part)).find((each) => each !== null) ?? new Set<string>();
    if (name === 'absent')
      return new Set(this.matchersOf(parts[0]).flatMap(({ label, operator }) => (operator === '=' ? [label] : [])));
    if (name === 'histogram_quantile') {
      if (!labels.has('le')) this.faults.push(`"${this.textOf(node)}": no label le`);
      return new Set([...labels].filter((label) => label !== 'le'));
    }
    if (!KEEPING.includes(name)) this.faults.push(`${name} is not known to this test`);
    const counter = /_(?:total|bucket|sum|count)\b/.test(this.textOf(parts[0]));
    if (OF_COUNTERS.includes(name) !== counter) this.faults.push(`"${this.textOf(node)}": of a counter or a gauge?`);
    return labels;
  }
}
