import { compileCondition, compileSum, type CompiledCondition, type CompiledSum } from '../conditions/condition.js';
import type { ServiceRule } from '../service-view/service-view.js';

/**
 * Whether a rule may need the body or the headers of a request, which are kept of held requests only.
 * @param hasTools whether the service has documented tools: the body says which one is the operation
 */
export function readsContent({ when, limit }: Pick<ServiceRule, 'when' | 'limit'>, hasTools: boolean): boolean {
  const reads = (text: string, compiled: CompiledCondition | CompiledSum): boolean => {
    if (!compiled.ok) return true;
    const { body, graphql, rpc, effects, operation } = compiled.expression.reads;
    return (hasTools && operation) || body || graphql || rpc || effects || /headers|contentType|size/.test(text);
  };
  const sum = limit?.sum;
  return (when !== '' && reads(when, compileCondition(when))) || (sum !== undefined && reads(sum, compileSum(sum)));
}

/** Whether a rule needs to know what a request does. */
export function readsEffects({ when, limit }: Pick<ServiceRule, 'when' | 'limit'>): boolean {
  const reads = (compiled: CompiledCondition | CompiledSum): boolean =>
    compiled.ok && (compiled.expression.reads.effects || compiled.expression.reads.operation);
  const sum = limit?.sum;
  return (when !== '' && reads(compileCondition(when))) || (sum !== undefined && reads(compileSum(sum)));
}
