import type { ActionSummary, RiskRule } from '#contracts';
import { createElement, Fragment, lazy, Suspense } from 'react';
import { Outcome } from './parts.js';
import { hasToasts, tellDecided } from './tell-decided.js';

const load = () => import('./after-approval.js');

/** Loads the code of what tells of an approval while it is on its way, so that it has Undo at once. */
export const preloadApproved = (): void => void (hasToasts() ? load() : Outcome.preload()).catch(() => {});

/**
 * Tells that an action was approved, or that one of its approvals was given.
 * @param rule the rule that was created with the approval
 */
export function showApproved(text: string, action: ActionSummary, rule: RiskRule | null): void {
  // Each toast tries again. Without this code it has no Undo, but the page of the action has one too.
  const AfterApproval = lazy(() => load().catch(() => ({ default: () => createElement(Fragment) })));
  const more = createElement(Suspense, null, createElement(AfterApproval, { action, rule }));
  tellDecided(text, more, action.countsFrom);
}
