import { PREFER_WAIT_MAX_SECONDS } from '#contracts/limits';
import type { BaseUrlIdempotency } from '#contracts/states';
import { errors } from '../platform/errors.js';

/** `/s/<service>[;wait=N][;idempotency=none|required][/<path>][?<query>]`, as it was asked for. */
export interface ServicePath {
  /** The service's name, decoded. */
  name: string;
  /** From `;wait=N`: what `Prefer: wait=N` says, for programs that can't send it. 0: does not wait. Null: the URL says nothing. */
  waitSeconds: number | null;
  /** From `;idempotency=none`: each request is one of its own, and a retry is another one. Null: the URL says nothing. */
  idempotency: BaseUrlIdempotency | null;
  /** Everything before `rest`, as written. */
  base: string;
  /** Path and query below the base URL, as written: nothing is decoded or resolved before the egress guard has seen it. */
  rest: string;
}

/** @param url the target of the HTTP request, as it came @throws ApiError 400 */
export function parseServicePath(url: string): ServicePath {
  const [, base, segment, rest] = /^(\/s\/([^/?]*))([^]*)$/i.exec(url) ?? ['', '', '', ''];
  const [name, ...parameters] = segment.split(';');
  const path: ServicePath = { name: decoded(name), waitSeconds: null, idempotency: null, base, rest };
  for (const parameter of parameters) {
    const wait = /^wait=(\d{1,6})$/.exec(parameter);
    if (wait) path.waitSeconds = Math.min(Number(wait[1]), PREFER_WAIT_MAX_SECONDS);
    else if (parameter === 'idempotency=none') path.idempotency = 'none';
    else if (parameter === 'idempotency=required') path.idempotency = 'required';
    // A slip of the pen must not change what a request means.
    else throw errors.invalid('/s/<service>: takes ;wait=N and ;idempotency=none or required, and no other parameter');
  }
  return path;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw errors.invalid('/s/<service>: the name is not properly percent-encoded');
  }
}

/** The target that a path stands for. `rest` is empty or begins with `/` or `?`, so that it can't reach into the host. */
export function targetBelow(baseUrl: string, rest: string): string {
  return (rest.startsWith('/') ? baseUrl.replace(/\/+$/, '') : baseUrl) + rest;
}
