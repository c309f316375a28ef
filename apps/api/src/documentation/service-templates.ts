import { foldCase, lenientReadings, parseBase, pathReadings, strictReadings } from '#egress';
import { fit, isBetter, LITERAL, parseTemplate, pathSegments } from '../request-reading/path-template.js';
import { SpanningTemplates } from './spanning-templates.js';
import { TemplateIndex, type IndexedTemplate } from './template-index.js';

export interface TemplateRow {
  id: number;
  method: string;
  path: string;
  comparedPath: string | null;
  serverPath: string;
  /** The name of a tool, which has an empty path. */
  tool: string | null;
}

/** Where an operation was found. */
export interface FoundTemplate {
  id: number;
  /** Whether the template fits only if its last parameter stands for several segments, which the document does not say. */
  isSpanned: boolean;
}

/** What `findAlike` finds, and the others for which some server may take the target. Null: too many to be found. */
export interface FoundTemplates {
  own: FoundTemplate | null;
  others: FoundTemplate[] | null;
}

/** No value has as many segments, and comparing them takes time. */
const SPANNED_MAX = 100;

/** A path with more readings is ambiguous. */
const READINGS_MAX = 50;

/** The segments and the query of a target. The path is relative to the base URL, and to the host. */
interface Target {
  below: readonly string[];
  whole: readonly string[];
  query: URLSearchParams;
  /** Whether the server ignores the case of letters. */
  isFolded: boolean;
}

/** What an operation is found by, besides the URL. */
interface Called {
  method: string;
  tools?: readonly string[];
}

/** Templates as the document states them, and with the path of its server in front. */
class TemplatePair {
  readonly own = new TemplateIndex();
  readonly prefixed = new TemplateIndex();

  private readonly seen = new Set<string>();

  add(method: string, template: IndexedTemplate, server: readonly string[]): void {
    if (this.isNew('own', method, template)) this.own.add(method, template);
    if (server.length === 0) return;
    const spanAt = template.spanAt === -1 ? -1 : template.spanAt + server.length;
    const prefixed = { ...template, segments: [...server, ...template.segments], spanAt };
    if (this.isNew('prefixed', method, prefixed)) this.prefixed.add(method, prefixed);
  }

  /** To be called when all templates were added. */
  seal(): void {
    this.seen.clear();
  }

  /**
   * Of templates that differ only in the names of their parameters, the first always wins. A document with thousands of
   * them must not make each request slow.
   */
  private isNew(index: string, method: string, { segments, spanAt, query }: IndexedTemplate): boolean {
    const shape = segments.map((segment) => segment.replace(/\{[^{}]*\}/g, '{}'));
    const key = JSON.stringify([index, method, shape, spanAt, query]);
    if (this.seen.has(key)) return false;
    this.seen.add(key);
    return true;
  }

  /** The id of the operation whose template fits best. */
  best(method: string, { below, whole, query, isFolded }: Target): number | null {
    let best: { id: number; score: number[] } | null = null;
    for (const [path, templates] of [
      [below, this.own],
      [whole, this.prefixed],
      [below, this.prefixed],
      [whole, this.own],
    ] as const) {
      for (const template of templates.candidates(method, path)) {
        const found = fit(template, path, query, isFolded);
        // A parameter must not match a part of the base path.
        if (found?.segments.slice(0, path.length - below.length).some((score) => score !== LITERAL)) continue;
        if (found && (!best || isBetter(found.score, best.score)))
          best = { id: template.operationId, score: found.score };
      }
    }
    return best?.id ?? null;
  }
}

/** The path templates of one service, and its tools. */
export class ServiceTemplates {
  size = 0;
  /** The ids of the tools of MCP servers, by their names. Empty: no list is known. */
  readonly tools = new Map<string, number>();
  private readonly stated = new TemplatePair();
  /** The templates whose last parameter may span segments. They are asked only where no stated one fits. */
  private readonly spanning = new TemplatePair();
  private readonly candidates = new SpanningTemplates();

  add(rows: readonly TemplateRow[]): void {
    this.size += rows.length;
    for (const { id: operationId, method, serverPath, tool, ...row } of rows) {
      if (tool !== null) {
        if (!this.tools.has(tool)) this.tools.set(tool, operationId);
        continue;
      }
      const template = { ...parseTemplate(row), operationId };
      const server = pathSegments(serverPath);
      this.stated.add(method, template, server);
      this.candidates.add(method, template, server);
    }
  }

  /** To be called when all rows were added. */
  finish(): this {
    for (const { method, template, server } of this.candidates.take()) this.spanning.add(method, template, server);
    this.stated.seal();
    this.spanning.seal();
    return this;
  }

  /**
   * Returns the operation whose template matches the target with the most literal segments. The paths of a document can
   * be relative to the base URL, to the document's own server, or to the host. Where tools are called and a list is known,
   * the operation is the one tool.
   */
  find(call: Called, url: URL, baseUrl: string): FoundTemplate | null {
    return this.findAt(call, toTarget(url, baseUrl, pathSegments(pathReadings(url, baseUrl)[0])));
  }

  /** Returns what `find` finds in every reading of the path. Null: nothing, or not the same in all. */
  findAlike(call: Called, url: URL, baseUrl: string): FoundTemplate | null {
    return this.findSame(call, strictTargets(url, baseUrl)) ?? null;
  }

  /** Whether some servers may take a target for another operation, or for one where others know none. */
  isAmbiguous(call: Called, url: URL, baseUrl: string): boolean {
    const found = this.findSame(call, strictTargets(url, baseUrl));
    const lenient = lenientTargets(url, baseUrl);
    if (found === undefined || lenient === null) return true;
    return lenient.some((target) => {
      const other = this.findAt(call, target);
      return other !== null && other.id !== found?.id;
    });
  }

  /**
   * All operations for which some server may take a target. The body calls no tools.
   * @param methods those that the request may ask for
   */
  findAll(method: string, methods: readonly string[], url: URL, baseUrl: string): FoundTemplates {
    const strict = strictTargets(url, baseUrl);
    const lenient = lenientTargets(url, baseUrl);
    const same = this.findSame({ method }, strict);
    const own = same ?? null;
    if (lenient === null) return { own, others: null };
    const others = new Map<number, FoundTemplate>();
    for (const each of methods) {
      // All strict readings of the own method were compared, and are the same.
      const targets = each === method && same !== undefined ? lenient : [...strict, ...lenient];
      for (const target of targets) {
        const other = this.findAt({ method: each }, target);
        if (other !== null && other.id !== own?.id) others.set(other.id, other);
      }
    }
    return { own, others: [...others.values()] };
  }

  /** Undefined: servers may take the target for different operations. */
  private findSame(call: Called, [first, ...others]: readonly Target[]): FoundTemplate | null | undefined {
    if (first === undefined) return undefined;
    const found = this.findAt(call, first);
    const isSame = (target: Target): boolean => {
      const other = this.findAt(call, target);
      return other?.id === found?.id && other?.isSpanned === found?.isSpanned;
    };
    return others.every(isSame) ? found : undefined;
  }

  private findAt({ method, tools = [] }: Called, target: Target): FoundTemplate | null {
    if (tools.length > 0 && this.tools.size > 0) {
      const id = tools.length === 1 ? this.tools.get(tools[0]) : undefined;
      return id === undefined ? null : { id, isSpanned: false };
    }
    const id = this.stated.best(method, target);
    if (id !== null) return { id, isSpanned: false };
    if (target.whole.length > SPANNED_MAX) return null;
    const spanned = this.spanning.best(method, target);
    return spanned === null ? null : { id: spanned, isSpanned: true };
  }
}

/** The target in each strict reading of its path. None: too many, or nobody knows where it leads. */
const strictTargets = (url: URL, baseUrl: string): Target[] =>
  (distinct(strictReadings(url, baseUrl)) ?? []).map((below) => toTarget(url, baseUrl, below));

/** The target in each lenient reading of its path. Null: too many. */
const lenientTargets = (url: URL, baseUrl: string): Target[] | null =>
  distinct(lenientReadings(url, baseUrl))?.map((below) => toTarget(url, baseUrl, below, true)) ?? null;

/** @param below the segments below the base URL, in one reading of the path */
function toTarget(url: URL, baseUrl: string, below: readonly string[], isFolded = false): Target {
  const base = pathSegments(parseBase(baseUrl).pathname);
  return {
    below,
    whole: [...(isFolded ? base.map(foldCase) : base), ...below],
    // The paths of some documents differ only behind `#`. Agents get such URLs from search_docs.
    query: new URLSearchParams(`${url.search.slice(1)}&${url.hash.slice(1)}`),
    isFolded,
  };
}

/** The segments of paths, once each. Null: too many. */
function distinct(readings: readonly string[] | null): readonly string[][] | null {
  if (readings === null) return null;
  if (readings.length === 1) return [pathSegments(readings[0])];
  const found = new Map(readings.map(pathSegments).map((each) => [JSON.stringify(each), each]));
  return found.size > READINGS_MAX ? null : [...found.values()];
}
