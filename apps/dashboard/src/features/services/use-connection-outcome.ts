import { useSearchParams } from 'react-router';

const OUTCOMES = ['connected', 'denied', 'failed'] as const;

/** How the sign-in at the provider ended from which the browser has just come back. Null: it has not. */
export function useConnectionOutcome(): (typeof OUTCOMES)[number] | null {
  const [search] = useSearchParams();
  return OUTCOMES.find((each) => each === search.get('connection')) ?? null;
}
