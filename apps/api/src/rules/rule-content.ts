import { compileCondition } from '../conditions/condition.js';
import type { ServiceRule } from '../service-view/service-view.js';

/**
 * Whether a rule may need the body or the headers of a request, which are kept of held requests only.
 * @param hasTools whether the service has documented tools: the body says which one is the operation
 */
export function readsContent({ when }: Pick<ServiceRule, 'when'>, hasTools: boolean): boolean {
  if (when === '') return false;
  const compiled = compileCondition(when);
  if (!compiled.ok) return true;
  const { body, graphql, rpc, effects, operation } = compiled.condition.reads;
  return (hasTools && operation) || body || graphql || rpc || effects || /headers|contentType|size/.test(when);
}
