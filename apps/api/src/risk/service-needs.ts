import { conditionOf } from '../rules/rule-conditions.js';
import { readsEffects } from '../rules/rule-content.js';
import { sumOf } from '../rules/rule-sums.js';
import type { ServiceView } from '../service-view/service-view.js';

/** Which facts about requests the decision of a service reads. */
export interface FactNeeds {
  /** Any at all, besides method and path. */
  facts: boolean;
  firstTime: boolean;
  /** What a request does. */
  effects: boolean;
}

const known = new WeakMap<ServiceView, FactNeeds>();

/** Found once per view. */
export function serviceNeeds(service: ServiceView): FactNeeds {
  let needs = known.get(service);
  if (needs === undefined) known.set(service, (needs = findNeeds(service)));
  return needs;
}

function findNeeds({ askFor, rules, observed }: ServiceView): FactNeeds {
  const all = [...rules, ...observed];
  const conditions = all.filter(({ when }) => when !== '').map(conditionOf);
  const sums = all.map(sumOf).filter((compiled) => compiled !== null);
  const expressions = [...conditions, ...sums];
  return {
    facts: askFor.length > 0 || expressions.length > 0,
    effects: askFor.length > 0 || all.some(readsEffects),
    firstTime: expressions.some((compiled) => compiled.ok && compiled.expression.reads.firstTime),
  };
}
