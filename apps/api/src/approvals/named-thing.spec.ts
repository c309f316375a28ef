import { toPathSteps } from '../request-reading/path-steps.js';
import { namedThing, namesThing } from './named-thing.js';

const BASE_URL = 'https://shop.example.com/api/v1';
const thingOf = (path: string, headline = 'POST request') =>
  namedThing(toPathSteps(new URL(BASE_URL + path), BASE_URL, null), headline);

it.each([
  ['/orders/7731/refunds', 'Refund €125.00 · order 7731', 'order 7731'],
  ['/customers/42/orders/7', 'PUT order 7 of customer 42', 'order 7'],
  ['/companies/12', 'DELETE company 12', 'company 12'],
  ['/users/42', 'DELETE user 42', 'user 42'],
  ['/namespaces/prod/pods/web-1', 'DELETE pod web-1 in prod', 'pod web-1'],
  ['/orders/450789469/refunds.json', 'POST refunds.json of order 450789469 · and 3 more [3fa9c1]', 'order 450789469'],
  ['/orders/450789469.json', 'PUT order 450789469.json', 'order 450789469'],
  ['/refunds', 'Refund €125.00 · order_id: 7731', 'order 7731'],
  ['/refunds', 'Refund €125.00 · orderId: 7731 · reason: broken', 'order 7731'],
  ['/refunds', 'POST refund · amount: 1250 · charge: ch_3Mm', 'charge ch_3Mm'],
  ['/mcp', 'issue_credit · cus_42 · on API · 5000 EUR or €50.00', ' cus_42'],
])('finds in %s and “%s” the thing that the request is about', (path, headline, thing) => {
  const { noun, id } = thingOf(path, headline)!;
  expect(`${noun} ${id}`).toBe(thing);
});

it.each([
  ['/settings', 'PUT settings · max_discount: 50'],
  ['/orders', 'POST order · amount: 1250 · quantity: 3'],
  ['/projects/42/issues', 'POST issue of project 42 · title: “Log-in fails”'],
  ['/statements', 'Run SQL: DELETE FROM customers WHERE id IN (1, 2, 3) [3fa9c1]'],
  ['/refunds', 'Refund €125.00 · account_id: 7731'],
  ['/orders/a%2Fb', 'DELETE order a%2Fb'],
])('names nothing in %s and “%s” that other requests may be about', (path, headline) => {
  expect(thingOf(path, headline)).toBeNull();
});

it('knows a thing in the path of one request and in the headline of another, and no other thing with its number', () => {
  const order = thingOf('/orders/7731/refunds')!;
  expect(namesThing(order, '/api/v1/refunds', 'Refund €9.00 · order_id: 7731')).toBe(true);
  expect(namesThing(order, '/api/v1/orders/7731', 'DELETE order 7731')).toBe(true);
  for (const [pathname, headline] of [
    ['/api/v1/orders/77310/refunds', 'Refund €9.00 · order 77310'],
    ['/api/v1/customers/7731', 'DELETE customer 7731'],
    ['/api/v1/refunds', 'Refund €77.31 · amount: 7731'],
  ])
    expect(namesThing(order, pathname, headline)).toBe(false);
});
