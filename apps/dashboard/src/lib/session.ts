import type { LoginResponse, TokenPair } from '#contracts';
import axios, { isAxiosError } from 'axios';
import { openChannel } from './channel.js';
import { replacingToken } from './session-cookie.js';
import { createStore, useStore } from './store.js';

/**
 * Who is logged in. The access token lives in this module's memory only; the refresh token is an HttpOnly cookie that no script
 * sees. Refresh tokens are single-use and reuse ends the session, so all tabs refresh one at a time and share what they get.
 */
export type SessionState = 'starting' | 'active' | 'ended';

interface Token {
  value: string;
  userId: string;
  /** By this browser's clock. */
  goodUntil: number;
}

type Message = { type: 'token'; token: Token } | { type: 'ended' };

/** Refresh so long before the end that a request under way still arrives with a good token. */
const MARGIN_MS = 15_000;
/** Says that a cookie may exist, so that a first visit asks for none and logs no error. It is no secret. */
const HINT = 'agw-has-session';

/** The server replaces the cookie before its answer is here, so the browser is to take the answer even when the page has gone. */
const client = axios.create({ adapter: 'fetch', fetchOptions: { keepalive: true }, timeout: 45_000 });

const state = createStore<SessionState>('starting');
const channel = openChannel<Message>('agw-session');
let token: Token | null = null;
let refreshing: Promise<boolean> | null = null;

export const useSession = (): SessionState => useStore(state);
export const sessionState = state.get;
export const onSession = state.subscribe;

channel.listen((message) => {
  if (message.type === 'ended') end();
  else if (token && token.userId !== message.token.userId) location.reload();
  else if (!token || message.token.goodUntil > token.goodUntil) adopt(message.token);
});

function adopt(next: Token): void {
  token = next;
  state.set('active');
}

function end(): void {
  token = null;
  remember(false);
  state.set('ended');
}

function remember(exists: boolean): void {
  try {
    if (exists) localStorage.setItem(HINT, '1');
    else localStorage.removeItem(HINT);
  } catch {
    // Without storage each start asks the server.
  }
}

function mayExist(): boolean {
  try {
    return localStorage.getItem(HINT) === '1';
  } catch {
    return true;
  }
}

function accept(pair: TokenPair): void {
  const claims = JSON.parse(atob(pair.accessToken.split('.')[1]!.replace(/-/g, '+').replace(/_/g, '/'))) as {
    sub: string;
  };
  const next = { value: pair.accessToken, userId: claims.sub, goodUntil: Date.now() + pair.expiresIn * 1000 };
  remember(true);
  adopt(next);
  channel.send({ type: 'token', token: next });
}

/** Run once at the start of the page. */
export async function startSession(): Promise<void> {
  if (!mayExist()) state.set('ended');
  else await refresh(null);
}

/** A token that is good for some seconds at least, or null when the session has ended. Throws when the server can't be reached. */
export async function accessToken(): Promise<string | null> {
  if (token && token.goodUntil - Date.now() > MARGIN_MS) return token.value;
  if (state.get() === 'ended') return null;
  await refresh(token?.value ?? null);
  return token?.value ?? null;
}

/**
 * Gets a new access token unless another tab already replaced `spent`. False when the session is over; any other
 * failure (no network, 503) is thrown, for it says nothing about the session.
 */
export function refresh(spent: string | null): Promise<boolean> {
  refreshing ??= replacingToken(async () => {
    if (token && token.value !== spent) return true;
    try {
      accept((await client.post<TokenPair>('/auth/refresh', {})).data);
      return true;
    } catch (error) {
      if (!isAxiosError(error) || error.response?.status !== 401) throw error;
      end();
      channel.send({ type: 'ended' });
      return false;
    }
  }).finally(() => {
    refreshing = null;
  });
  return refreshing;
}

/** In turn with refreshes: one under way in another tab must not overwrite the new cookie. */
export function logIn(email: string, password: string): Promise<LoginResponse> {
  return replacingToken(async () => {
    const { data } = await client.post<LoginResponse>('/auth/login', { email, password });
    accept(data);
    return data;
  });
}

export async function logOut(): Promise<void> {
  await replacingToken(() => client.post('/auth/logout', {}));
  end();
  channel.send({ type: 'ended' });
}
