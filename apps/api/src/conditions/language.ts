import { Environment, ParseError, TypeError as CelTypeError } from '@marcbachmann/cel-js';

/** A part of a parsed condition. */
export type Node = { start: number; end: number } & (
  | { op: 'value'; args: unknown }
  | { op: 'id'; args: string }
  | { op: '.'; args: [Node, string] }
  | {
      op: '[]' | '||' | '&&' | 'in' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '%';
      args: [Node, Node];
    }
  | { op: '?:' | 'list'; args: Node[] }
  | { op: 'map'; args: [Node, Node][] }
  | { op: '!_' | '-_'; args: Node }
  | { op: 'call'; args: [string, Node[]] }
  | { op: 'rcall'; args: [string, Node, Node[]] }
);

/** Thrown for a condition that is not accepted. */
export class ConditionFault extends Error {
  constructor(
    /** Where in the text, counted from 0. */
    readonly at: number,
    what: string,
  ) {
    super(what);
  }
}

/** The fields of each type (docs/reference/conditions.md#fields). */
export const FIELDS = {
  Request: {
    method: 'string',
    path: 'string',
    pathParams: 'map<string, string>',
    query: 'map<string, list<string>>',
    headers: 'map<string, string>',
    contentType: 'string',
    size: 'int',
    body: 'dyn',
    text: 'string',
  },
  Agent: { id: 'int', name: 'string' },
  Operation: { id: 'string', tags: 'list<string>', summary: 'string', deprecated: 'bool', isWrite: 'bool' },
  Graphql: { type: 'string', names: 'list<string>', fields: 'list<string>' },
  RpcCall: { method: 'string', params: 'dyn', tool: 'dyn', arguments: 'dyn' },
  Rpc: { methods: 'list<string>', tools: 'list<string>', calls: 'list<RpcCall>' },
} as const;

export const VARIABLES = {
  request: 'Request',
  agent: 'Agent',
  operation: 'Operation',
  graphql: 'Graphql',
  rpc: 'Rpc',
  effects: 'list<string>',
  firstTime: 'bool',
  now: 'google.protobuf.Timestamp',
} as const;
export type Variable = keyof typeof VARIABLES;

/** Those that can be null. */
const NULLABLE = ['Operation', 'Graphql', 'Rpc'];

/** A condition has at most 1,000 characters. These limits keep its parts readable. */
const LIMITS = { maxAstNodes: 500, maxDepth: 30, maxListElements: 200, maxMapEntries: 50, maxCallArguments: 4 };

const environment = buildEnvironment();

/** The library parses and checks the types. It evaluates nothing (docs/adr/0075-conditions-in-cel.md). */
function buildEnvironment(): Environment {
  const built = new Environment({ homogeneousAggregateLiterals: false, limits: LIMITS });
  for (const [name, fields] of Object.entries(FIELDS)) built.registerType(name, { fields: { ...fields } });
  for (const [name, type] of Object.entries(VARIABLES)) built.registerVariable(name, type);
  for (const type of NULLABLE) {
    built.registerOperator(`${type} == null`, () => {
      throw new Error('the library evaluated a condition');
    });
  }
  return built;
}

export const isVariable = (name: string): boolean => environment.hasVariable(name);

/** @throws ConditionFault, as `typeOf` does */
export function parseExpression(text: string): { node: Node; typeOf: () => string } {
  const parsed = attempt(() => environment.parse(text));
  const ast: unknown = parsed.ast;
  return {
    node: ast as Node,
    typeOf() {
      const { error, type } = parsed.check();
      if (error) throw toFault(error);
      return type!;
    },
  };
}

function attempt<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof ParseError || error instanceof CelTypeError ? toFault(error) : error;
  }
}

const toFault = ({ summary, range, code }: ParseError | CelTypeError): ConditionFault =>
  new ConditionFault(range?.start ?? 0, code === 'limit_exceeded' ? TOO_NESTED : inWords(summary));

const TOO_NESTED = 'it has too many parts, or they are nested too deeply';

const TOKENS: Partial<Record<string, string>> = {
  EOF: 'the end',
  NUMBER: 'a number',
  STRING: 'a text',
  BYTES: 'bytes',
  BOOLEAN: 'true or false',
  NULL: 'null',
  IDENTIFIER: 'a name',
  PLUS: '+',
  MINUS: '-',
  MULTIPLY: '*',
  DIVIDE: '/',
  MODULO: '%',
  EQ: '==',
  NE: '!=',
  LT: '<',
  LE: '<=',
  GT: '>',
  GE: '>=',
  AND: '&&',
  OR: '||',
  NOT: '!',
  IN: 'in',
  LPAREN: '(',
  RPAREN: ')',
  LBRACKET: '[',
  RBRACKET: ']',
  LBRACE: '{',
  RBRACE: '}',
  DOT: '.',
  COMMA: ',',
  COLON: ':',
  QUESTION: '?',
};

/** The library names tokens as its code does. */
const inWords = (summary: string): string =>
  summary
    .replace(
      /^Expected (\w+), got (\w+)$/,
      (_all, one: string, other: string) => `expected ${word(one)}, got ${word(other)}`,
    )
    .replace(/^Unexpected token: (\w+)$/, (_all, token: string) => `unexpected ${word(token)}`)
    .replace(/^unexpected the end$/, 'unexpected end')
    .replace(/^No such key: /, 'there is no field ')
    .replace(/^Unknown variable: /, 'there is no variable ')
    .replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());

const word = (token: string): string => TOKENS[token] ?? token;
