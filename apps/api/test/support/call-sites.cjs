// @ts-check
/**
 * Finds the places where Node or a library calls our code, and no caller of ours could catch an error: timers,
 * listeners, other callbacks, methods of streams and of response handlers, and what follows a promise that nobody
 * awaits. It reads sources and the build alike, and can make each place of a file fail.
 */
const { basename } = require('node:path');
const ts = require('typescript');

const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']);
const LISTEN = new Set(['on', 'once', 'addListener', 'prependListener', 'prependOnceListener', 'addEventListener']);
const CALLBACKS = new Set(['close', 'end', 'write', 'destroy', 'pipeline', 'finished']);
const STREAM_OPTIONS = new Set(['transform', 'flush', 'read', 'write', 'final']);
/** The methods of streams, and those that undici calls when a response arrives. */
const METHOD = /^(?:_(?:transform|flush|read|write|final|destroy)|on(?:Request|Response)[A-Z]\w*)$/;

/**
 * @typedef {import('typescript').Node} Node
 * @typedef {{ name: string, body: Node }} CallSite A name like `event-hub: setTimeout in scheduleListen`, and the code
 * that is called.
 */

/** @param {string} path @param {string} text @returns {CallSite[]} in the order of the file */
function callSites(path, text) {
  const file = basename(path).replace(/\.m?[jt]s$/, '');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const imported = importedNames(source);
  /** @type {Map<string, number>} */
  const counts = new Map();
  /** @type {CallSite[]} */
  const sites = [];
  /** @param {Node} node */
  const visit = (node) => {
    for (const [kind, body] of calledBy(node, imported)) {
      if (isEmpty(body)) continue;
      const name = `${file}: ${kind} in ${enclosingName(node)}`;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      sites.push({ name: count === 1 ? name : `${name}, ${count}`, body });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return sites;
}

/** @param {Node} node @param {Set<string>} imported @returns {[kind: string, body: Node][]} */
function calledBy(node, imported) {
  if (ts.isMethodDeclaration(node)) {
    return METHOD.test(node.name.getText()) && node.body ? [[node.name.getText(), node]] : [];
  }
  if (ts.isNewExpression(node)) {
    const [first] = node.arguments ?? [];
    if (node.expression.getText() === 'FinalizationRegistry') return [['FinalizationRegistry', first]];
    if (first === undefined || !ts.isObjectLiteralExpression(first)) return [];
    return first.properties.flatMap((property) =>
      ts.isPropertyAssignment(property) &&
      isFunction(property.initializer) &&
      STREAM_OPTIONS.has(property.name.getText())
        ? [/** @type {[string, Node]} */ ([property.name.getText(), property.initializer])]
        : [],
    );
  }
  return ts.isCallExpression(node) ? givenTo(node, imported) : [];
}

/** @param {import('typescript').CallExpression} node @param {Set<string>} imported @returns {[kind: string, body: Node][]} */
function givenTo(node, imported) {
  const { expression, arguments: given } = node;
  const isMember = ts.isPropertyAccessExpression(expression);
  const name = isMember ? expression.name.text : expression.getText();
  // The timers of `node:timers/promises` are awaited.
  if (name === 'nextTick' || (!isMember && TIMERS.has(name) && !imported.has(name))) return [[name, given[0]]];
  if (isMember && LISTEN.has(name) && given.length > 1 && ts.isStringLiteral(given[0]))
    return [[given[0].text, given[1]]];
  if (CALLBACKS.has(name)) return given.filter(isFunction).map((body) => [name, body]);
  if (!isMember || (name !== 'finally' && !isFloating(node))) return [];
  if (name === 'then') return given.map((body, n) => [n === 0 ? 'then' : 'catch', body]);
  return name === 'finally' || name === 'catch' ? [[name, given[0]]] : [];
}

/** @param {Node} node @returns {node is import('typescript').ArrowFunction | import('typescript').FunctionExpression} */
const isFunction = (node) => ts.isArrowFunction(node) || ts.isFunctionExpression(node);

/** Whether a function has no code that could fail. @param {Node} node */
const isEmpty = (node) => isFunction(node) && /^(?:undefined|\{\s*(?:\/\/.*\s*)*\})$/.test(node.body.getText());

/** Whether nobody awaits the promise. @param {Node} node */
const isFloating = ({ parent }) => ts.isExpressionStatement(parent) || ts.isVoidExpression(parent);

/** @param {import('typescript').SourceFile} source */
function importedNames(source) {
  const names = source.statements.filter(ts.isImportDeclaration).flatMap(({ importClause }) => {
    const bindings = importClause?.namedBindings;
    return bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements.map(({ name }) => name.text) : [];
  });
  return new Set(names);
}

/**
 * The nearest method, function or class. The build moves the values of fields into the constructor.
 * @param {Node} node
 */
function enclosingName(node) {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (ts.isConstructorDeclaration(at) || ts.isPropertyDeclaration(at)) return 'constructor';
    if ((ts.isFunctionDeclaration(at) || ts.isMethodDeclaration(at) || ts.isClassLike(at)) && at.name !== undefined) {
      return at.name.getText();
    }
  }
  return 'the module';
}

/**
 * The text of a built file in which each call site calls `plantedFault(name)` when it has done its work, and no timer
 * waits longer than `plantedMs` allows.
 * @param {string} path @param {string} text
 */
function plant(path, text) {
  /** @type {[at: number, text: string][]} */
  const insertions = [];
  for (const { name, body } of callSites(path, text)) {
    const fault = `plantedFault(${JSON.stringify(name)})`;
    const code = isFunction(body) || ts.isMethodDeclaration(body) ? body.body : undefined;
    if (code === undefined) {
      insertions.push([body.getStart(), `plantedIn(${JSON.stringify(name)}, `], [body.end, ')']);
    } else if (ts.isBlock(code)) {
      insertions.push([code.getStart() + 1, ' try {'], [code.end - 1, `} finally { ${fault}; } `]);
    } else insertions.push([code.getStart(), '{ try { return '], [code.end, `; } finally { ${fault}; } }`]);
    const { parent } = body;
    if (ts.isCallExpression(parent) && ts.isIdentifier(parent.expression) && parent.arguments.length > 1) {
      const [, ms] = parent.arguments;
      const limit = `plantedMs(${JSON.stringify(name)}, `;
      if (TIMERS.has(parent.expression.text)) insertions.push([ms.getStart(), limit], [ms.end, ')']);
    }
  }
  // From the end to the beginning. Of two at the same place, the later one closes a site within the earlier one.
  insertions.sort(([a], [b]) => b - a);
  return insertions.reduce((planted, [at, added]) => planted.slice(0, at) + added + planted.slice(at), text);
}

module.exports = { callSites, plant };
