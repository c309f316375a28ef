import type { LoginResponse, TokenPair, User } from '#contracts';

export const PASSWORD = 'correct horse battery';

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

interface CallOptions {
  token?: string;
  body?: object;
  headers?: Record<string, string>;
}

/** One request over real HTTP; `route` is like `POST /auth/login`. */
export async function call<T = { error: string; statusCode: number }>(
  app: { url: string },
  route: string,
  { token, body, headers = {} }: CallOptions = {},
): Promise<Answer<T>> {
  const [method, path] = route.split(' ');
  const response = await fetch(app.url + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  // A HEAD response has no body.
  const answered = JSON.parse((await response.text()) || 'null') as T;
  return { status: response.status, headers: response.headers, body: answered };
}

export async function register(app: { url: string }, email: string, extra: object = {}): Promise<User> {
  const answer = await call<{ user: User }>(app, 'POST /auth/register', {
    body: { email, password: PASSWORD, ...extra },
  });
  if (answer.status !== 201) throw new Error(`register: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.user;
}

export async function login(app: { url: string }, email: string, password = PASSWORD): Promise<LoginResponse> {
  const answer = await call<LoginResponse>(app, 'POST /auth/login', { body: { email, password } });
  if (answer.status !== 200) throw new Error(`login: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

export const refresh = (app: { url: string }, refreshToken: string): Promise<Answer<TokenPair & { error?: string }>> =>
  call(app, 'POST /auth/refresh', { body: { refreshToken } });

/** The status of a guarded endpoint. */
export const readMeStatus = async (app: { url: string }, token: string): Promise<number> =>
  (await call(app, 'GET /auth/me', { token })).status;
