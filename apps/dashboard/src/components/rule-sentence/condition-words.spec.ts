import { conditionWords } from './condition-words.js';

it.each([
  ['request.body.amount > 100 && request.body.currency == "EUR"', 'amount > 100 and currency is EUR'],
  ['request.body.currency in ["EUR", "USD"]', 'currency is one of EUR, USD'],
  ['effects.exists(e, e in ["money", "delete"])', 'it moves money or deletes'],
  ['effects.all(e, e in ["read", "personalData"])', 'it only reads or touches personal data'],
  ['has(request.query.force) && "true" in request.query.force', 'query force is true'],
  ['!has(request.body.card.id) && firstTime', 'card.id is missing and this agent does it for the first time'],
  ['graphql != null && graphql.type == "mutation"', 'it is a GraphQL mutation'],
])('%s reads: %s', (condition, words) => expect(conditionWords(condition)).toBe(words));

it('has no words for other conditions', () => {
  expect(conditionWords('request.body.amount > 100 || firstTime')).toBeNull();
});
