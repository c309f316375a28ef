import { PREFER_WAIT_MAX_SECONDS } from '#contracts/limits';
import type { BaseUrlIdempotency } from '#contracts/states';
import { errors, type ApiError } from '../platform/errors.js';
import { percentDecoded } from '../platform/percent-decoding.mjs';

/** `/s/<service>[;wait=N][;idempotency=none|required][/<path>][?<query>]`, as requested. */
export interface ServicePath {
  /** The service's name, decoded. */
  name: string;
  /**
   * From `;wait=N`, which means `Prefer: wait=N` for programs that can't send the header. 0: no wait. Null: the URL
   * does not say.
   */
  waitSeconds: number | null;
  /** From `;idempotency=none`: each request is new, and so is each retry. Null: the URL does not say. */
  idempotency: BaseUrlIdempotency | null;
  /** Everything before `rest`, as written. */
  base: string;
  /**
   * Path and query below the base URL, as written. The egress guard must see them before anything is decoded or
   * resolved.
   */
  rest: string;
}

/** @param url the target of the HTTP request, as received @throws ApiError 400 */
export function parseServicePath(url: string): ServicePath {
  const [, base, segment, rest] = /^(\/s\/([^/?]*))([^]*)$/i.exec(url) ?? ['', '', '', ''];
  const [name, ...parameters] = segment.split(';');
  const names = parameters.map((parameter) => parameter.split('=')[0]);
  // Every link of an answer repeats them.
  if (new Set(names).size < names.length) throw unknownParameter();
  const path: ServicePath = { name: decoded(name), waitSeconds: null, idempotency: null, base, rest };
  for (const parameter of parameters) {
    const wait = /^wait=(\d{1,6})$/.exec(parameter);
    if (wait) path.waitSeconds = Math.min(Number(wait[1]), PREFER_WAIT_MAX_SECONDS);
    else if (parameter === 'idempotency=none') path.idempotency = 'none';
    else if (parameter === 'idempotency=required') path.idempotency = 'required';
    // A typo must not change the meaning of a request.
    else throw unknownParameter();
  }
  return path;
}

const unknownParameter = (): ApiError =>
  errors.invalid('/s/<service>: takes ;wait=N and ;idempotency=none or required, and no other parameter');

function decoded(name: string): string {
  const text = percentDecoded(name);
  if (text === null) throw errors.invalid('/s/<service>: the name is not properly percent-encoded');
  return text;
}

/** The target URL of a path. `rest` is empty or begins with `/` or `?`, so that it can't extend the host. */
export function targetBelow(baseUrl: string, rest: string): string {
  return (rest.startsWith('/') ? baseUrl.replace(/\/+$/, '') : baseUrl) + rest;
}
