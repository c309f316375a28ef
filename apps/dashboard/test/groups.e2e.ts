import type { CreatedInvitation, Workspace } from '#contracts';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { startOpenIdProvider, type OpenIdProviderProcess } from '../../api/test/support/openid-provider.js';
import { startFront, type Front } from '../../api/test/support/tcp-proxy.js';
import { useChromium } from './support/browser.js';
import { invite } from './support/people.js';

const chromium = useChromium();
const makePerson = (name: string, groups: string[]) => ({
  person: { sub: name, email: `${name}@example.com`, email_verified: true, name, groups },
});

let gateway: Gateway;
let provider: OpenIdProviderProcess;
let front: Front;
let url: string;
beforeAll(async () => {
  front = await startFront();
  url = front.url;
  provider = await startOpenIdProvider(`${url}/auth/oidc/callback`);
  gateway = await startGateway({
    PUBLIC_URL: url,
    ...provider.settings,
    OIDC_ROLES_CLAIM: 'groups',
    OIDC_ROLE_MAP: 'ops=approver',
  });
  front.leadTo(gateway.url);
});
afterAll(async () => {
  await front.stop();
  await gateway.close();
  await provider.close();
});

it('tells a person whose only group was taken away what to do, and lets them in again with the group', async () => {
  await provider.set(makePerson('Gia', ['ops']));
  const page = await chromium.page();
  const signIn = async (label: string) => page.getByRole('link', { name: label }).click();
  await page.goto(`${url}/dashboard/history`);
  await signIn('Continue with Example Corp');
  await page.getByText("Ada's workspace").first().waitFor();

  // The page requests the contents of a workspace before it knows that there is none.
  chromium.tolerate(/404/);
  await provider.set(makePerson('Gia', []));
  await page.goto(`${url}/auth/oidc/start?returnTo=/dashboard/history`);
  await page.getByText('You are not a member of any workspace').waitFor();
  await page.getByText('Your groups at Example Corp no longer give you a role here', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Create a workspace' }).waitFor();
  const pages = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
  await expect(pages.allInnerTexts()).resolves.toEqual(['Approvals', 'Settings']);

  await provider.set(makePerson('Gia', ['ops']));
  await signIn('Sign in again with Example Corp');
  await page.getByText("Ada's workspace").first().waitFor();
  await page.getByText('Nothing needs your decision.').waitFor();
});

it('opens the workspace when an invited newcomer comes back from the provider, and returns a known person to the invitation', async () => {
  // The page asks whether there is a session.
  chromium.tolerate(/401/);
  await provider.set(makePerson('hana', []));
  const link = new URL(await invite(gateway, 'hana@example.com', 'auditor'));
  const page = await chromium.page({ device: 'phone' });
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  await page.goto(`${url}${link.pathname}${link.hash}`);
  await page.getByRole('link', { name: 'Continue with Example Corp' }).tap();
  // The first sign-in accepts the invitation, because the provider has verified the e-mail.
  await page.getByText('Nothing needs your decision.').waitFor();
  await page.getByRole('button', { name: 'More' }).tap();
  await page.getByRole('dialog').getByText('Auditor').waitFor();
  // The person logs out and in again, with another invitation. The account exists, so the person must accept it.
  await page.getByRole('button', { name: 'Log out' }).tap();
  await page.getByRole('link', { name: 'Continue with Example Corp' }).waitFor();
  const second = await gateway.admin<Workspace>('POST /workspaces', { name: 'Second' });
  const invitation = { email: 'hana@example.com', role: 'approver' };
  const made = await gateway.admin<CreatedInvitation>(`POST /workspaces/${second.id}/invitations`, invitation);
  const again = new URL(made.url, url);
  await page.goto(`${url}${again.pathname}${again.hash}`);
  await page.getByRole('link', { name: 'Continue with Example Corp' }).tap();
  await page.waitForURL(`${url}/dashboard/invitations`);
  await page.getByText('hana@example.com', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Accept invitation' }).tap();
  await page.getByRole('button', { name: 'More' }).tap();
  await page.getByRole('dialog').getByText('Second').waitFor();
  // The token stays in the browser: no URL that a server sees contains it.
  for (const { hash } of [link, again]) {
    expect(urls.filter((each) => each.split('#')[0].includes(hash.slice(1)))).toEqual([]);
  }
});
