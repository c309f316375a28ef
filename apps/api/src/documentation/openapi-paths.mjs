// @ts-check
// The paths of documents, for comparison with those of requests. `{name+}` spans segments, as in `{path+}`.
import { isObject } from './openapi-source.mjs';

/** The path before its query; a parameter can have a question mark in its braces. */
const WAY = /^((?:[^?#{]|\{[^{}]*\}|\{)*)(.*)$/s;
const PARAMETER = /\{([^{}]*)\}/g;
/** The ways in which documents write a parameter that spans segments: `{+a}`, `{*a}`, `{a*}`, `{a+}`, `{a:path}`, `{a=**}`. */
const SPANNING = [
  /^(?:\+|\*{1,2})([^=:]+)$/,
  /^([^=:]+?)(?:\+|\*{1,2})$/,
  /^([^=:]+):(?:path|\.[*+])$/i,
  /^([^=:]+)=\*\*$/,
];
/** `{name=projects/*}` of gRPC. */
const WITH_PATTERN = /^([^=]+)=(.+)$/s;
/** A parameter at the end with such a name has slashes in its value, whether the document says so or not. */
const PATH_NAME =
  /(?:^|[_.-])(?:path|dir|directory|folder|file|filename|ref|proxy|wildcard)$|(?:Path|Dir|Directory|Folder|File|Filename|Ref)$/;
/** Lists of optional query parameters: `{?page,size}`. */
const QUERY_LIST = /\{[?&#][^{}]*\}/g;

/**
 * Returns the path as `path-template.ts` compares it, or null if that is the path itself.
 * @param {string} path
 * @param {any[]} parameters with their references resolved
 * @returns {string | null}
 */
export function comparedPath(path, parameters) {
  const [, way, rest] = /** @type {RegExpExecArray} */ (WAY.exec(path.replace(QUERY_LIST, '')));
  let spans = false;
  const compared = way.replace(PARAMETER, (stated, inner, /** @type {number} */ at) => {
    const isWhole = way[at - 1] === '/' && [undefined, '/'].includes(way[at + stated.length]);
    const isLast = isWhole && at + stated.length === way.length;
    const found = segments(inner, parameters, isLast).map((segment) => {
      if (!segment.endsWith('+}')) return segment;
      // Two of them in one path could be split in many ways.
      const isFirst = isWhole && !spans;
      spans ||= isFirst;
      return isFirst ? segment : segment.replace('+}', '}');
    });
    return found.join('/');
  });
  return compared + rest === path ? null : compared + rest;
}

/**
 * The segments for which a parameter stands.
 * @param {string} inner without its braces
 * @param {any[]} parameters
 * @param {boolean} isLast
 * @returns {string[]}
 */
function segments(inner, parameters, isLast) {
  for (const form of SPANNING) {
    const name = form.exec(inner)?.[1];
    if (name !== undefined) return [`{${name}+}`];
  }
  const [, named, written] = WITH_PATTERN.exec(inner) ?? [];
  // `{id?}` is optional in some frameworks.
  const name = (named ?? inner).replace(/[?#/].*$/s, '');
  const parameter = parameters.find((each) => isObject(each) && each.in === 'path' && each.name === name) ?? {};
  const pattern = written ?? parameter.schema?.pattern ?? parameter.pattern;
  if (typeof pattern === 'string' && hasSlash(pattern)) return parsePattern(pattern, name);
  return [parameter['x-multi-segment'] === true || (isLast && PATH_NAME.test(name)) ? `{${name}+}` : `{${name}}`];
}

/** Whether values can have a slash: it stands outside of `[^/]`. @param {string} pattern */
const hasSlash = (pattern) => pattern.replace(/\[[^\]]*\]/g, '').includes('/');

/**
 * The segments of `projects/[^/]+/locations/[^/]+`, or of `projects/*`. Other patterns are not evaluated.
 * @param {string} pattern
 * @param {string} name
 */
function parsePattern(pattern, name) {
  const parts = pattern
    .replace(/^\^|\$$/g, '')
    .replace(/\[\^\\?\/\][+*]/g, '*')
    .replace(/\\?\//g, '/')
    .split('/')
    .map((part) => (part === '*' ? `{${name}}` : /^(?:\*\*|\.[+*])$/.test(part) ? `{${name}+}` : part));
  const isPlain = parts.every((part) => part.startsWith('{') || /^[\w-]+$/.test(part));
  return isPlain ? parts : [`{${name}+}`];
}
