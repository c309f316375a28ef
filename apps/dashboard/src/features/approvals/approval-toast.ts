import type { Action, RiskRule } from '#contracts';
import { createElement, Fragment, lazy, Suspense } from 'react';
import { showDone } from '../../lib/toasts.js';

/** Without this code, the toast has no Undo, but the page of the action has one too. */
const AfterApproval = lazy(() =>
  import('./after-approval.js').catch(() => ({ default: () => createElement(Fragment) })),
);

/**
 * Shows that an action was approved.
 * @param rule the rule that was created with the approval
 */
export const showApproved = (text: string, action: Action, rule: RiskRule | null): void =>
  showDone(text, createElement(Suspense, null, createElement(AfterApproval, { action, rule })));
