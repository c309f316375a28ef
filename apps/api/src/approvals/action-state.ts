/**
 * The status that a 409 names while an approved action is being executed (docs/reference/states.md#execution-claim).
 */
export const EXECUTION_IN_PROGRESS = 'APPROVED (execution in progress)';
