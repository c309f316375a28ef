import { useCallback, useMemo, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { currentSearch } from '../../lib/current-search.js';
import { useMay } from '../../lib/workspace.js';
import { readView } from './filters.js';

/** The view of the inbox, which its URL states, and the ways to change it. */
export function useInboxView() {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const decides = useMay('approver');
  const view = useMemo(() => readView(search, decides), [search, decides]);
  const suffix = search.size > 0 ? `?${search.toString()}` : '';
  // The search field keeps typed text. It resets when the search is cleared elsewhere.
  const [epoch, setEpoch] = useState(0);
  const restart = () => setEpoch((before) => before + 1);
  return {
    view,
    epoch,
    restart,
    listUrl: `/approvals${suffix}`,
    linkTo: useCallback((actionId: string) => `/approvals/${actionId}${suffix}`, [suffix]),
    set: useCallback(
      (name: string, value: string) => {
        const next = currentSearch();
        if (value) next.set(name, value);
        else next.delete(name);
        // The open request may not be in the new list.
        void navigate({ pathname: '/approvals', search: next.toString() }, { replace: true });
      },
      [navigate],
    ),
    clear: () => {
      restart();
      const ofTab = view.tab === 'waiting' || view.tab === 'all' ? '' : `tab=${view.tab}`;
      void navigate({ pathname: '/approvals', search: ofTab }, { replace: true });
    },
  };
}
