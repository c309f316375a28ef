import type { LoginResponse, PasskeyAssertion, TokenPair } from '#contracts';
import { useStore } from '@nanostores/react';
import { atom } from 'nanostores';
import { openChannel } from './channel.js';
import { forgetDrafts } from './drafts.js';
import { isForeign, refuseForeign } from './foreign-answer.js';
import { replacingToken } from './session-cookie.js';
import { CallFailed, send, type Answer } from './transport.js';
import { forgetUnsaved, hasUnsaved } from './unsaved.js';
import { forgetWorkspace } from './workspace-choice.js';

/**
 * The login session. The access token exists only in the memory of this module. The refresh token is an HttpOnly cookie
 * that scripts cannot read. Refresh tokens are single-use, and reuse ends the session, so tabs refresh one at a time
 * and share the result.
 */
type SessionState = 'starting' | 'active' | 'ended';

interface Token {
  value: string;
  userId: string;
  /** In the time of this browser's clock. */
  goodUntil: number;
}

type Message = { type: 'token'; token: Token } | { type: 'ended' };

/** Refresh this long before the token expires, so that requests in progress still arrive with a valid token. */
const MARGIN_MS = 15_000;
/**
 * Marks that a refresh cookie may exist. Without it, a first visit skips the refresh and logs no error. It is not
 * secret.
 */
const HINT = 'agw-has-session';

/**
 * The server has replaced the cookie when it responds, so the browser must accept the response even if the page has
 * closed.
 */
const post = async <T>(path: string, body: object): Promise<Answer<T>> =>
  refuseForeign(await send<T>({ method: 'POST', path, body, keepalive: true }));

const state = atom<SessionState>('starting');
const channel = openChannel<Message>('agw-session');
let token: Token | null = null;
/** The id of the person who has used this page. It stays when the session ends. */
let person: string | null = null;
/** Whether the session ended while the page had unsaved input. */
let kept = false;
let refreshing: Promise<boolean> | null = null;

export const useSession = (): SessionState => useStore(state);
export const sessionState = (): SessionState => state.get();
export const isPageKept = (): boolean => kept;
export const onSession = (listener: () => void): (() => void) => state.listen(listener);

channel.listen((message) => {
  if (message.type === 'ended') end();
  else if (!token || token.userId !== message.token.userId || message.token.goodUntil > token.goodUntil)
    adopt(message.token);
});

function adopt(next: Token): void {
  if (person !== null && person !== next.userId) {
    forgetDrafts();
    // The page may have what the earlier person entered, or a key. It stays hidden until it is loaded again.
    if (state.get() === 'active' || kept) {
      forgetUnsaved();
      location.reload();
      return;
    }
  }
  person = next.userId;
  token = next;
  state.set('active');
}

function end(): void {
  if (token) kept = hasUnsaved();
  token = null;
  remember(false);
  state.set('ended');
}

function remember(exists: boolean): void {
  try {
    if (exists) localStorage.setItem(HINT, '1');
    else localStorage.removeItem(HINT);
  } catch {
    // Without storage, each start asks the server.
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

/** The browser leaves for the OpenID provider. It may come back with a session, so the next page asks the server. */
export const expectSession = (): void => remember(true);

/** Called once when the page starts. */
export async function startSession(): Promise<void> {
  if (!mayExist()) state.set('ended');
  else await refresh(null);
}

/**
 * A token that is valid for at least a few seconds, or null if the session has ended. Throws if the server is
 * unreachable.
 */
export async function accessToken(): Promise<string | null> {
  if (token && token.goodUntil - Date.now() > MARGIN_MS) return token.value;
  if (state.get() === 'ended') return null;
  await refresh(token?.value ?? null);
  return token?.value ?? null;
}

/**
 * Gets a new access token unless another tab has already replaced `spent`. Returns false if the session is over. Throws
 * on any other failure (no network, 503), because it says nothing about the session.
 */
export function refresh(spent: string | null): Promise<boolean> {
  refreshing ??= replacingToken(async () => {
    if (token && token.value !== spent) return true;
    try {
      accept((await post<TokenPair>('/auth/refresh', {})).data);
      return true;
    } catch (error) {
      // A proxy's 401 says nothing about the session.
      const answer = error instanceof CallFailed ? error.answer : null;
      if (answer?.status !== 401 || isForeign(answer)) throw error;
      end();
      channel.send({ type: 'ended' });
      return false;
    }
  }).finally(() => {
    refreshing = null;
  });
  return refreshing;
}

/** Waits for refreshes in other tabs, so that they do not overwrite the new cookie. */
export function logIn(email: string, password: string): Promise<LoginResponse> {
  return replacingToken(async () => {
    const { data } = await post<LoginResponse>('/auth/login', { email, password });
    accept(data);
    return data;
  });
}

export function logInWithPasskey(passkey: PasskeyAssertion): Promise<LoginResponse> {
  return replacingToken(async () => {
    const { data } = await post<LoginResponse>('/auth/passkeys/login', { passkey });
    accept(data);
    return data;
  });
}

let leave = (): Promise<void> => Promise.resolve();
/** Work that must run while the session still exists. If it fails, the person is logged out anyway. */
export const beforeLogOut = (work: () => Promise<void>): void => void (leave = work);

export async function logOut(): Promise<void> {
  await leave().catch(() => {});
  await replacingToken(() => post('/auth/logout', {}));
  // The next person may have other workspaces.
  forgetWorkspace();
  end();
  channel.send({ type: 'ended' });
}
