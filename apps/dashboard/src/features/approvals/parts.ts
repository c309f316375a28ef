import type { Action, ActionContext } from '#contracts';
import { onDemand, type Preloaded } from '../../components/on-demand.js';
import { isStrong } from '../../lib/risk.js';

/** The parts of an action's page that few actions have. */

/** The inbox starts with actions that wait. */
export const Outcome = onDemand(() => import('./outcome.js'));
/** Most actions need only one approval, and the reader can give it. */
export const Approvals = onDemand(() => import('./approvals.js'));
export const Revises = onDemand(() => import('./revises.js'));
export const Repeats = onDemand(() => import('./repeats.js'));
export const Different = onDemand(() => import('./different.js'));
export const HeldBy = onDemand(() => import('./held-by.js'));
export const SameThing = onDemand(() => import('./same-thing.js'));
export const Unmentioned = onDemand(() => import('./unmentioned.js'));
export const FormParts = onDemand(() => import('../../components/request/form-parts.js'));
export const RestOfBody = onDemand(() => import('../../components/request/rest-of-body.js'));

/** Whether other people take part in the decision. */
export const isShared = ({ status, approvals: { needed, you } }: Action): boolean =>
  needed > 1 || (status === 'PENDING' && you !== 'may_approve');

/** Those that the page of this action has, and whose code is not loaded. */
export function missingParts(action: Action, context: ActionContext | undefined): Preloaded[] {
  const parts = [
    action.status !== 'PENDING' && Outcome,
    isShared(action) && Approvals,
    action.revises !== null && Revises,
    action.repeats && Repeats,
    context?.differences && Different,
    context?.holdingRules[0] && HeldBy,
    context?.sameThing && SameThing,
    action.effects.some(isStrong) && Unmentioned,
    action.parts && FormParts,
    action.bodyTruncated && RestOfBody,
  ];
  return parts.filter((part) => !!part).filter((part) => !part.isLoaded());
}
