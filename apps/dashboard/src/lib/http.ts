import type { ErrorBody } from '#contracts';
import { ERROR_CODE_HEADER, REQUEST_ID_HEADER, WORKSPACE_ID_HEADER } from '#contracts/headers';
import axios, { AxiosError, type InternalAxiosRequestConfig } from 'axios';
import { noteServerDate } from './clock.js';
import { askToConfirm } from './confirmation.js';
import { isForeign, refuseForeign } from './foreign-answer.js';
import { messages } from './messages.js';
import { accessToken, refresh } from './session.js';
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
  ) {
    super(message);
    this.name = 'ApiFailure';
  }
}

/**
 * The HTTP client of the dashboard. It adds the access token and the workspace, renews the token once on 401, lets the
 * person confirm where a call needs it, and turns every failure into an `ApiFailure`.
 */
export const http = axios.create({ timeout: 45_000 });

interface Attempt extends InternalAxiosRequestConfig {
  usedToken?: string;
  renewed?: boolean;
  confirmed?: boolean;
}

http.interceptors.request.use(async (config: Attempt) => {
  const token = await accessToken();
  if (token) {
    config.usedToken = token;
    config.headers.set('Authorization', `Bearer ${token}`);
  }
  const workspace = workspaceId();
  if (workspace !== null) config.headers.set(WORKSPACE_ID_HEADER, String(workspace), false);
  return config;
});

http.interceptors.response.use(
  (response) => {
    noteServerDate(response.headers['date'] as string | undefined);
    return refuseForeign(response);
  },
  async (error: unknown) => {
    if (!(error instanceof AxiosError)) throw failure(error);
    const config = error.config as Attempt | undefined;
    noteServerDate(error.response?.headers['date'] as string | undefined);
    if (error.response && isForeign(error.response))
      throw new ApiFailure(messages.errors.foreign, error.response.status, null, null);
    if (error.response?.status === 401 && config?.usedToken && !config.renewed) {
      config.renewed = true;
      if (await refresh(config.usedToken)) return http.request(config);
    }
    const code: unknown = error.response?.headers[ERROR_CODE_HEADER.toLowerCase()];
    if (code === 'confirmation_required' && config && !config.confirmed && (await askToConfirm())) {
      config.confirmed = true;
      return http.request(config);
    }
    throw failure(error);
  },
);

/** Converts any error to an `ApiFailure`. */
export function failure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  if (!(error instanceof AxiosError))
    return new ApiFailure(error instanceof Error ? error.message : String(error), 0, null, null);
  const { response } = error;
  if (!response)
    return new ApiFailure(
      error.code === AxiosError.ETIMEDOUT ? messages.errors.timeout : messages.errors.offline,
      0,
      null,
      null,
      true,
    );
  const body = response.data as Partial<ErrorBody> | undefined;
  const text = typeof body?.error === 'string' ? body.error : messages.errors.status(response.status);
  const requestId = (response.headers[REQUEST_ID_HEADER.toLowerCase()] as string | undefined) ?? null;
  const retryAfter = Number(response.headers['retry-after']);
  return new ApiFailure(
    text,
    response.status,
    requestId,
    Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : null,
    [502, 503, 504].includes(response.status),
  );
}

/** `await get<Agent>('/agents/1')` returns the data or throws an `ApiFailure`. */
export const get = async <T>(path: string, params?: object, signal?: AbortSignal): Promise<T> =>
  (await http.get<T>(path, { params, signal })).data;
export const post = async <T>(path: string, body: object = {}): Promise<T> => (await http.post<T>(path, body)).data;
export const put = async <T>(path: string, body: object): Promise<T> => (await http.put<T>(path, body)).data;
export const patch = async <T>(path: string, body: object): Promise<T> => (await http.patch<T>(path, body)).data;
export const del = async <T>(path: string): Promise<T> => (await http.delete<T>(path)).data;
