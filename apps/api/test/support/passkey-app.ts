import type { LoginResponse, Passkey, PasskeyOptions } from '#contracts';
import { listenToAccess } from './access-events.js';
import { call, login, PASSWORD, register, type Answer } from './accounts.js';
import { Authenticator, type Bend } from './authenticator.js';
import { startApp, type TestApp } from './start-app.js';

export const ORIGIN = 'https://gateway.example.com';
export const REFUSED = { error: 'Passkey not accepted', statusCode: 401 };

interface Begun {
  options: object;
  cookie: string;
}

/** A gateway whose people log in with passkeys. */
export class PasskeyApp {
  app!: TestApp;
  /** The access events of the test. */
  told: string[] = [];
  private people = 0;
  private address = 0;

  constructor() {
    beforeAll(async () => {
      this.app = await startApp({ PUBLIC_URL: ORIGIN, ALLOW_REGISTRATION: 'true', TRUST_PROXY: 'true' });
      listenToAccess(this.app, ({ action }) => void this.told.push(action));
    });
    beforeEach(() => {
      this.told = [];
    });
    afterAll(() => this.app?.close());
  }

  /** Asks for options. The cookie ties the answer to this browser. */
  async begin(route: string, token?: string): Promise<Begun> {
    const answer = await call<PasskeyOptions & { error?: string }>(this.app, `POST ${route}`, { token });
    if (answer.status !== 200) throw new Error(`${route}: ${answer.status} ${answer.body.error}`);
    const [cookie] = answer.headers.getSetCookie().map((each) => each.split(';')[0]);
    return { options: answer.body.options, cookie };
  }

  send<T = LoginResponse & { error?: string }>(
    route: string,
    body: object,
    { cookie = '', token, address = '192.0.2.1' }: { cookie?: string; token?: string; address?: string } = {},
  ): Promise<Answer<T>> {
    return call<T>(this.app, `POST ${route}`, { body, token, headers: { cookie, 'X-Forwarded-For': address } });
  }

  confirm(token: string) {
    return call(this.app, 'POST /auth/confirm', { token, body: { password: PASSWORD } });
  }

  async newPerson(): Promise<{ email: string; token: string }> {
    const email = `person${++this.people}@example.com`;
    await register(this.app, email);
    return { email, token: (await login(this.app, email)).accessToken };
  }

  async add(token: string, device = new Authenticator(ORIGIN), name = 'Phone'): Promise<Passkey> {
    await this.confirm(token);
    const { options, cookie } = await this.begin('/auth/passkeys/options', token);
    const body = { name, passkey: device.register(options) };
    const answer = await this.send<Passkey>('/auth/passkeys', body, { cookie, token });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  }

  /** A person who has a passkey. */
  async withPasskey(counts = true) {
    const person = await this.newPerson();
    const device = new Authenticator(ORIGIN, counts);
    return { ...person, device, passkey: await this.add(person.token, device) };
  }

  async signIn(device: Authenticator, bend?: Bend) {
    const { options, cookie } = await this.begin('/auth/passkeys/login/options');
    const address = `203.0.113.${++this.address % 250}`;
    return this.send('/auth/passkeys/login', { passkey: device.sign(options, bend) }, { cookie, address });
  }

  async list(token: string): Promise<Passkey[]> {
    return (await call<Passkey[]>(this.app, 'GET /auth/passkeys', { token })).body;
  }
}
