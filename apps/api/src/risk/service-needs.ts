import { conditionOf } from '../rules/rule-conditions.js';
import type { ServiceView } from '../service-view/service-view.js';

/** Which facts about requests the decision of a service reads. */
export interface FactNeeds {
  /** Any at all, besides method and path. */
  facts: boolean;
  firstTime: boolean;
}

const known = new WeakMap<ServiceView, FactNeeds>();

/** Found once per view. */
export function serviceNeeds(service: ServiceView): FactNeeds {
  let needs = known.get(service);
  if (needs === undefined) known.set(service, (needs = findNeeds(service)));
  return needs;
}

function findNeeds({ askFor, rules, observed }: ServiceView): FactNeeds {
  const conditions = [...rules, ...observed].filter(({ when }) => when !== '').map(conditionOf);
  return {
    facts: askFor.length > 0 || conditions.length > 0,
    firstTime: conditions.some((compiled) => compiled.ok && compiled.condition.reads.firstTime),
  };
}
