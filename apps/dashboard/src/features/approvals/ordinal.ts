/** The words for the places of approvals. A rule asks for five approvals at most. */
export const ordinal = (place: number): string => ['first', 'second', 'third', 'fourth', 'fifth'][place - 1] ?? 'next';
