import type { ErrorBody } from '#contracts';
import { ERROR_CODE_HEADER, REQUEST_ID_HEADER, WORKSPACE_ID_HEADER } from '#contracts/headers';
import { noteServerDate } from './clock.js';
import { askToConfirm } from './confirmation.js';
import { isForeign, refuseForeign } from './foreign-answer.js';
import { sharedMessages } from './messages.js';
import { accessToken, refresh } from './session.js';
import { CallFailed, send, type Answer, type Call } from './transport.js';
import { workspaceId } from './workspace-choice.js';

/** Why a call failed, in words for the user. `status` is 0 if there was no response. */
export class ApiFailure extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly requestId: string | null,
    readonly retryAfterSeconds: number | null,
    /** True if the gateway or its database is unreachable. */
    readonly outage = false,
    /** What to do, if the gateway says it. */
    readonly next?: string,
  ) {
    super(message);
    this.name = 'ApiFailure';
  }
}

/**
 * Sends a call with the session's token and the workspace. Renews the token once on 401, lets the person confirm where a
 * call needs it, and turns every failure into an `ApiFailure`.
 */
export async function request<T>(call: Call): Promise<Answer<T>> {
  // A repeat goes to the same workspace, even if the choice has changed meanwhile.
  const workspace = workspaceId();
  let mayRenew = true;
  let mayConfirm = true;
  for (;;) {
    let token: string | null = null;
    try {
      token = await accessToken();
      const answer = await send<T>({ ...call, headers: { ...sessionHeaders(token, workspace), ...call.headers } });
      noteServerDate(answer.headers.get('Date'));
      return refuseForeign(answer);
    } catch (error) {
      const answer = error instanceof CallFailed ? error.answer : null;
      noteServerDate(answer?.headers.get('Date'));
      if (answer && isForeign(answer)) throw new ApiFailure(sharedMessages.errors.foreign, answer.status, null, null);
      if (answer?.status === 401 && token && mayRenew) {
        mayRenew = false;
        if (await refresh(token)) continue;
      }
      if (
        answer?.headers.get(ERROR_CODE_HEADER) === 'confirmation_required' &&
        mayConfirm &&
        (await askToConfirm(call))
      ) {
        mayConfirm = false;
        continue;
      }
      throw failure(error);
    }
  }
}

function sessionHeaders(token: string | null, workspace: number | null): Record<string, string> {
  return {
    ...(token && { Authorization: `Bearer ${token}` }),
    ...(workspace !== null && { [WORKSPACE_ID_HEADER]: String(workspace) }),
  };
}

/** Converts any error to an `ApiFailure`. */
export function failure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  if (!(error instanceof CallFailed))
    return new ApiFailure(error instanceof Error ? error.message : String(error), 0, null, null);
  const { answer, late } = error;
  if (!answer)
    return new ApiFailure(late ? sharedMessages.errors.timeout : sharedMessages.errors.offline, 0, null, null, true);
  const { status, headers } = answer;
  const body = answer.data as Partial<ErrorBody> | null;
  const text = typeof body?.error === 'string' ? body.error : sharedMessages.errors.status(status);
  const retryAfter = Number(headers.get('Retry-After'));
  return new ApiFailure(
    text,
    status,
    headers.get(REQUEST_ID_HEADER),
    Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : null,
    [502, 503, 504].includes(status),
    body?.next,
  );
}

/** `await get<Agent>('/agents/1')` returns the data or throws an `ApiFailure`. */
export const get = async <T>(path: string, params?: object, signal?: AbortSignal): Promise<T> =>
  (await request<T>({ path, params, signal })).data;
export const post = async <T>(path: string, body: object = {}): Promise<T> =>
  (await request<T>({ method: 'POST', path, body })).data;
export const put = async <T>(path: string, body: object): Promise<T> =>
  (await request<T>({ method: 'PUT', path, body })).data;
export const patch = async <T>(path: string, body: object): Promise<T> =>
  (await request<T>({ method: 'PATCH', path, body })).data;
export const del = async <T>(path: string): Promise<T> => (await request<T>({ method: 'DELETE', path })).data;
