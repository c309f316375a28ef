import { compileCondition } from '../conditions/condition.js';
import type { ServiceRule } from '../service-view/service-view.js';

/** Whether a rule may need the body or the headers of a request, which are kept of held requests only. */
export function readsContent({ when }: Pick<ServiceRule, 'when'>): boolean {
  if (when === '') return false;
  const compiled = compileCondition(when);
  if (!compiled.ok) return true;
  const { body, graphql, rpc, effects } = compiled.condition.reads;
  return body || graphql || rpc || effects || /headers|contentType|size/.test(when);
}
