import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { actionQuery, contextQuery } from './api.js';
import type { ActionGroup } from './groups.js';
import type { useInbox } from './use-inbox.js';
import type { useInboxView } from './use-inbox-view.js';

interface Inbox {
  groups: readonly ActionGroup[];
  /** The open action. */
  actionId: string | undefined;
  /** Whether list and action are side by side. */
  wide: boolean;
  source: ReturnType<typeof useInbox>;
  place: ReturnType<typeof useInboxView>;
}

/** Moves between the actions of the list: by keys, and to the next action after a decision. */
export function useMoves({ groups, actionId, wide, source, place: { linkTo, listUrl } }: Inbox) {
  const navigate = useNavigate();
  const currentIndex = groups.findIndex(({ actions }) => actions.some(({ action_id }) => action_id === actionId));

  // With two panes, the second is never empty: if no action is open, the first one opens once.
  const first = groups[0]?.first.action_id;
  useEffect(() => {
    if (wide && !actionId && first) void navigate(linkTo(first), { replace: true });
  }, [wide, actionId, first, navigate, linkTo]);

  // After a decision, the next action is shown at once.
  const queryClient = useQueryClient();
  const upcoming = currentIndex === -1 ? undefined : (groups[currentIndex + 1] ?? groups[currentIndex - 1]);
  const upcomingId = wide ? upcoming?.first.action_id : undefined;
  useEffect(() => {
    if (!upcomingId) return;
    void queryClient.prefetchQuery({ ...actionQuery(upcomingId), staleTime: Infinity });
    void queryClient.prefetchQuery(contextQuery(upcomingId));
  }, [upcomingId, queryClient]);

  /** The row that shortcuts act on: the focused row, otherwise the open one. */
  function focusedIndex(): number {
    const id = document.activeElement instanceof HTMLElement ? document.activeElement.dataset['actionId'] : undefined;
    const focused = id === undefined ? -1 : groups.findIndex((group) => group.first.action_id === id);
    return focused === -1 ? currentIndex : focused;
  }

  return {
    current: groups[currentIndex],
    focused: () => groups[focusedIndex()],
    /** Goes back to the list, on a phone. */
    back: () => void navigate(listUrl),
    go: (steps: number) => {
      const target = groups[Math.max(0, Math.min(focusedIndex() + steps, groups.length - 1))];
      if (!target) return;
      const { action_id } = target.first;
      if (wide) void navigate(linkTo(action_id), { replace: true });
      focusRow(rowOf(action_id));
    },
    /** Goes to the first of the new rows, which may be far below the visible ones. */
    toFresh: () => focusRow('[data-fresh] a'),
    /** Goes to the row of the open action. */
    toCurrent: () => groups[currentIndex] && focusRow(rowOf(groups[currentIndex].first.action_id)),
    /** Opens the revision that the person made of an action. */
    revised: (id: string, as: string) => {
      source.remove([id]);
      source.tidy();
      void navigate(linkTo(as), { replace: true });
      focusHeadline();
    },
    /** Opens the next action in the second pane. On a phone, the page stays and shows the result. */
    decided: (ids: string[]) => {
      const stays = (group: ActionGroup) => !group.actions.every(({ action_id }) => ids.includes(action_id));
      const next =
        groups.slice(currentIndex + 1).find(stays) ?? groups.slice(0, Math.max(currentIndex, 0)).findLast(stays);
      source.remove(ids);
      source.tidy();
      if (!wide || !actionId || !ids.includes(actionId)) return;
      void navigate(next ? linkTo(next.first.action_id) : listUrl, { replace: true });
      if (next) focusRow(rowOf(next.first.action_id));
    },
  };
}

/** The page of an action comes within this number of frames, or not at all. */
const FRAMES_MAX = 300;

/** Runs when the dialog has closed, so that it no longer restores the focus, and the new action is on the screen. */
function focusHeadline(frames = FRAMES_MAX): void {
  requestAnimationFrame(() => {
    const isClosed = document.querySelector('[role=dialog]') === null;
    const headline = isClosed ? document.querySelector<HTMLElement>('article h1') : null;
    if (headline !== null) headline.focus();
    else if (frames > 0) focusHeadline(isClosed ? frames - 1 : frames);
  });
}

const rowOf = (actionId: string): string => `[data-action-id="${CSS.escape(actionId)}"]`;

/** Runs after the next render, when the row exists. */
function focusRow(selector: string): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(selector)?.focus());
}
