import { Box } from '@mantine/core';
import { useLocation, useNavigate, useParams } from 'react-router';
import { useShortcuts } from '../../lib/keyboard.js';
import type { ActionDetail } from './action-detail.js';
import { fromHistoryMessages } from './from-history-messages.js';

/**
 * One action without the inbox around it. Its URL has the view of the history, which the way back opens again.
 *
 * @param Detail a parameter, because an import would split the code of the inbox into more files
 */
export default function FromHistory({ Detail }: { Detail: typeof ActionDetail }) {
  const actionId = useParams().actionId!;
  const { search } = useLocation();
  const navigate = useNavigate();
  const to = `/history${search}`;
  useShortcuts(fromHistoryMessages.region, [
    { keys: 'Escape', label: fromHistoryMessages.done, run: () => void navigate(to) },
  ]);
  return (
    <Box
      component="section"
      pos="relative"
      h="100%"
      bg="var(--agw-surface)"
      style={{ overflowY: 'auto' }}
      aria-label={fromHistoryMessages.region}
    >
      <Detail
        key={actionId}
        actionId={actionId}
        back={{ to, text: fromHistoryMessages.back, done: fromHistoryMessages.done, onDesk: true }}
        onRevised={(_id, as) => void navigate(`/history/requests/${as}${search}`, { replace: true })}
      />
    </Box>
  );
}
