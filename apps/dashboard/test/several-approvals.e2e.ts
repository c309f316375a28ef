import type { Action, RiskRule } from '#contracts';
import type { Page } from 'playwright-core';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { pageWithAxe, settledViolations } from './support/axe.js';
import { logIn, pressTwice, useChromium } from './support/browser.js';
import { addMember } from './support/people.js';

const chromium = useChromium();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  await addMember(gateway, 'Bo', 'approver');
  await addMember(gateway, 'Cy', 'approver');
});
afterAll(() => gateway.close());
const open = async (who: string, path: string): Promise<Page> => {
  const page = await pageWithAxe(chromium, undefined, { movableClock: true });
  await logIn(page, gateway.url, path, `${who}@example.com`);
  return page;
};

it('asks two people: an administrator makes the rule, and each of them sees what is missing', async () => {
  const admin = await open('ada', `/services/${gateway.service.id}/rules`);
  await admin.getByRole('button', { name: 'New rule' }).first().click();
  const dialog = admin.getByRole('dialog');
  await dialog.getByLabel('Approvals', { exact: true }).selectOption('2');
  await dialog.getByText('DELETE', { exact: true }).click();
  await dialog.getByRole('group', { name: 'Summary' }).getByText('2 people').waitFor();
  await dialog.getByRole('button', { name: 'Save rule' }).click();
  await dialog.waitFor({ state: 'detached' });
  const [rule] = await gateway.admin<RiskRule[]>(`GET /services/${gateway.service.id}/risk-rules`);
  expect(rule).toMatchObject({ effect: 'require_approval', approvals: 2, approverIds: [], methods: ['DELETE'] });

  const { action_id: id } = await gateway.hold();
  const bo = await open('bo', `/approvals/${id}`);
  await bo.getByText('Needs 2 approvals. Ada, Bo, or Cy can give the first approval.').waitFor();
  expect(await settledViolations(bo, 'several approvals')).toEqual([]);
  const give = bo.getByRole('button', { name: 'Give the first approval' });
  await give.waitFor();
  const confirm = (page: Page) => page.getByRole('button', { name: /^Confirm/ }).click();
  await pressTwice(
    bo,
    () => give.click(),
    () => confirm(bo),
  );
  await bo.getByText('It needs one more.').first().waitFor();
  await bo.goto(`${gateway.url}/dashboard/approvals/${id}`);
  await bo.getByText(/Bo approved .* Ada or Cy can give the second approval\./).waitFor();
  await bo.getByRole('link', { name: /For others/ }).click();
  await bo.getByRole('link', { name: /DELETE customer 42/ }).waitFor();

  const cy = await open('cy', `/approvals/${id}`);
  const second = cy.getByRole('button', { name: 'Give the second approval' });
  await second.waitFor();
  await pressTwice(
    cy,
    () => second.click(),
    () => confirm(cy),
  );
  await bo.goto(`${gateway.url}/dashboard/approvals/${id}`);
  await bo.getByText('Approved by Cy. The agent can run it now.').waitFor();
  await expect(gateway.admin<Action>(`GET /approvals/${id}`)).resolves.toMatchObject({ status: 'APPROVED' });
});

it('tells a person who may not approve who can, and lets that person deny', async () => {
  await gateway.admin(`POST /services/${gateway.service.id}/risk-rules`, {
    name: 'Only Ada',
    effect: 'require_approval',
    methods: ['PUT'],
    approverIds: [gateway.agent.userId],
  });
  const { action_id: id } = await gateway.hold({ method: 'PUT', body: '{}' });
  const page = await open('bo', `/approvals/${id}`);
  await page.getByText('Ada can approve this.', { exact: false }).waitFor();
  await page.getByText('You can’t approve this, but you can deny it.').waitFor();
  await expect(page.getByRole('button', { name: 'Approve', exact: true }).isDisabled()).resolves.toBe(true);
  await expect(page.getByRole('button', { name: 'Deny', exact: true }).isEnabled()).resolves.toBe(true);
  expect(await settledViolations(page, 'several approvals')).toEqual([]);
});

it('tells only owners when too few people may approve', async () => {
  const [owner, approver] = await Promise.all([open('ada', '/history'), open('bo', '/approvals')]);
  const rules = `/services/${gateway.service.id}/risk-rules`;
  const { id: ruleId } = await gateway.admin<RiskRule>(`POST ${rules}`, {
    name: 'Five people',
    effect: 'require_approval',
    methods: ['PATCH'],
    approvals: 5,
  });
  const ask = async (key: string) =>
    (await gateway.hold({ method: 'PATCH', body: '{}', idempotencyKey: key })).action_id;
  await ask('first');
  const notice = owner.getByText(/^Not enough people can approve this: PATCH /);
  await notice.first().waitFor();
  // The latest one replaces the previous one.
  const id = await ask('second');
  const link = owner.getByRole('link', { name: 'See who can approve' });
  await owner.locator(`a[href$="${id}"]`, { hasText: 'See who can approve' }).waitFor();
  expect(await link.count()).toBe(1);
  expect(await settledViolations(owner, 'notice')).toEqual([]);
  await link.click();
  await owner.getByText('Not enough people can approve this (only Ada, Bo, or Cy).').waitFor();

  await approver.reload();
  await approver.getByText('Too few approvers').first().waitFor();
  expect(await approver.getByText(/^Not enough people can approve this: /).count()).toBe(0);
  await gateway.admin(`DELETE ${rules}/${ruleId}`);
});
