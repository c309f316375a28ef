/** One call over HTTP, with `fetch`. It knows no session: see `http.ts`. */
export interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** Values that are null or undefined are left out. */
  params?: object;
  /** An object is sent as JSON, and a text as it is. */
  body?: object | string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** 0: no limit. */
  timeoutMs?: number;
  /** The browser finishes the call even if the page closes. */
  keepalive?: boolean;
  /** What the person does with it, in words, if they have to confirm that it is them. */
  about?: string;
  /** What becomes of the body of a success. */
  as?: 'json' | 'blob';
}

export interface Answer<T = unknown> {
  data: T;
  status: number;
  headers: Headers;
}

/** There was no answer, or one with a status of 300 or more. */
export class CallFailed extends Error {
  constructor(
    readonly answer: Answer | null,
    /** True if the answer took too long. */
    readonly late: boolean,
    cause?: unknown,
  ) {
    super(answer ? `status ${answer.status}` : 'no answer', { cause });
  }
}

const TIMEOUT_MS = 45_000;

/** Throws `CallFailed`. */
export async function send<T>({ path, params, timeoutMs = TIMEOUT_MS, ...call }: Call): Promise<Answer<T>> {
  const { signal, late, stop } = limited(timeoutMs, call.signal);
  let answer: Answer;
  try {
    const response = await fetch(path + query(params), {
      method: call.method ?? 'GET',
      headers: {
        Accept: 'application/json, text/plain, */*',
        ...(call.body && { 'Content-Type': 'application/json' }),
        ...call.headers,
      },
      body: typeof call.body === 'object' ? JSON.stringify(call.body) : call.body,
      keepalive: call.keepalive,
      signal,
    });
    const data: unknown = call.as === 'blob' && response.ok ? await response.blob() : parsed(await response.text());
    answer = { data, status: response.status, headers: response.headers };
    if (!response.ok) throw new CallFailed(answer, false);
  } catch (error) {
    throw error instanceof CallFailed ? error : new CallFailed(null, late(), error);
  } finally {
    stop();
  }
  return answer as Answer<T>;
}

/** A signal that aborts after the time, and with the other signal. `AbortSignal.any` is missing in Safari before 17.4. */
function limited(
  timeoutMs: number,
  outer?: AbortSignal,
): { signal: AbortSignal; late: () => boolean; stop: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort(outer?.reason);
  let late = false;
  const timer = setTimeout(
    () => {
      late = true;
      controller.abort();
    },
    timeoutMs || 2 ** 31 - 1,
  );
  if (outer?.aborted) abort();
  outer?.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    late: () => late,
    stop: () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
    },
  };
}

function query(params: object = {}): string {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null);
  return given.length > 0 ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : '';
}

/** Not every answer is JSON: a proxy may answer with a page, and some answers are empty. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
