/** Calls to the gateway over HTTP, as the dashboard and an agent make them. Uses only node: built-ins. */

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {string | null} proxyStatus `X-Proxy-Status`: present when the upstream answered
 * @property {string} text
 * @property {any} json the body, if it is JSON
 */

/** @param {string} url @param {string} route like `POST /services` @param {{headers?: Record<string, string>, body?: object}} [options] */
export async function call(url, route, { headers, body } = {}) {
  const [method, path] = route.split(' ');
  const response = await fetch(url + path, {
    method,
    headers: { ...(body ? { 'Content-Type': 'application/json' } : {}), ...headers },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
  /** @type {Answer} */
  return {
    status: response.status,
    proxyStatus: response.headers.get('x-proxy-status'),
    text,
    json: isJson ? JSON.parse(text) : null,
  };
}

/** The user of the dashboard. Each call throws unless it succeeds. */
export class Administrator {
  #url;
  #token = '';

  constructor(/** @type {string} */ url) {
    this.#url = url;
  }

  /**
   * Creates the account if it does not exist yet.
   * @param {{email: string, password: string, name: string, setupToken?: string}} account
   */
  async logIn({ email, password, ...rest }) {
    const { setupRequired } = await this.send('GET /auth/setup');
    if (setupRequired) await this.send('POST /auth/register', { email, password, ...rest });
    this.#token = (await this.send('POST /auth/login', { email, password })).accessToken;
  }

  /** @param {string} route @param {object} [body] @returns {Promise<any>} */
  async send(route, body) {
    const headers = this.#token ? { Authorization: `Bearer ${this.#token}` } : undefined;
    const answer = await call(this.#url, route, { headers, body });
    if (answer.status >= 300) throw new Error(`${route} answered ${answer.status}: ${answer.text}`);
    return answer.json;
  }
}

/** An agent, which has only its own key. */
export class Agent {
  #url;

  /** @param {string} url @param {string} name @param {string} key */
  constructor(url, name, key) {
    this.#url = url;
    this.name = name;
    this.key = key;
  }

  /** @param {{method: string, targetUrl: string, intent: string, body?: string, idempotencyKey?: string}} request */
  proxy(request) {
    return call(this.#url, 'POST /proxy', { headers: { 'Agent-Key': this.key }, body: request });
  }

  /** Waits for the decision, a minute at a time. @param {string} statusUrl */
  async decision(statusUrl) {
    for (;;) {
      const { status, json, text } = await this.#get(statusUrl);
      if (status !== 200) throw new Error(`GET ${statusUrl} answered ${status}: ${text}`);
      if (json.status !== 'PENDING') return json;
    }
  }

  /** @param {string} executeUrl */
  execute(executeUrl) {
    return call(this.#url, `POST ${executeUrl}`, { headers: { 'Agent-Key': this.key } });
  }

  #get(/** @type {string} */ path) {
    return call(this.#url, `GET ${path}`, { headers: { 'Agent-Key': this.key, Prefer: 'wait=60' } });
  }
}
