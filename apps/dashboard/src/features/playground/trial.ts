import type { AssessRiskRequest } from '#contracts';
import { HTTP_METHODS, type HttpMethod } from '#contracts/states';

/** The request in the playground. It is stored in the hash of the URL, which never appears in server logs. */
export interface Trial {
  service: number | null;
  agent: number | null;
  method: HttpMethod;
  path: string;
  headers: string;
  body: string;
  intent: string;
}

export const EMPTY_TRIAL: Trial = {
  service: null,
  agent: null,
  method: 'GET',
  path: '/',
  headers: '',
  body: '',
  intent: '',
};

const id = (value: string | null): number | null => (value && /^[1-9]\d{0,9}$/.test(value) ? Number(value) : null);

export function readHash(hash: string): Trial {
  const from = new URLSearchParams(hash.replace(/^#/, ''));
  const method = from.get('method');
  return {
    service: id(from.get('service')),
    agent: id(from.get('agent')),
    method: HTTP_METHODS.find((each) => each === method) ?? EMPTY_TRIAL.method,
    path: from.get('path') ?? EMPTY_TRIAL.path,
    headers: from.get('headers') ?? '',
    body: from.get('body') ?? '',
    intent: from.get('intent') ?? '',
  };
}

export function toHash(trial: Trial): string {
  const to = new URLSearchParams();
  for (const [name, value] of Object.entries(trial)) {
    if (value !== null && value !== '' && value !== EMPTY_TRIAL[name as keyof Trial]) to.set(name, String(value));
  }
  return to.size > 0 ? `#${to}` : '';
}

/** Parses `Name: value` lines. null if a line has another form. */
export function readHeaders(text: string): Record<string, string> | null {
  const headers: Record<string, string> = {};
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const colon = line.indexOf(':');
    if (colon < 1) return null;
    headers[line.slice(0, colon).trim()] = line.slice(colon + 1).trim();
  }
  return headers;
}

export const carriesBody = (method: HttpMethod): boolean => method !== 'GET' && method !== 'HEAD';

/** The request for the API, or null while it is incomplete. */
export function toRequest(trial: Trial, baseUrl: string): AssessRiskRequest | null {
  const headers = readHeaders(trial.headers);
  if (trial.service === null || headers === null || trial.intent.trim() === '') return null;
  const path = trial.path.trim();
  return {
    serviceId: trial.service,
    ...(trial.agent !== null && { agentId: trial.agent }),
    method: trial.method,
    targetUrl: baseUrl.replace(/\/+$/, '') + (path === '' || /^[/?]/.test(path) ? path : `/${path}`),
    headers,
    body: carriesBody(trial.method) && trial.body !== '' ? trial.body : null,
    intent: trial.intent.trim(),
  };
}

/** The path of a URL under a base URL. null if the URL is elsewhere. */
export function pathBelow(baseUrl: string, url: string): string | null {
  const base = baseUrl.replace(/\/+$/, '');
  if (!url.startsWith(base)) return null;
  const path = url.slice(base.length);
  return path === '' || /^[/?]/.test(path) ? path || '/' : null;
}
