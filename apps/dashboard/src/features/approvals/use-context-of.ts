import type { Action, ActionContext } from '#contracts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { contextQuery } from './api.js';
import { missingParts } from './parts.js';

/** An action does not wait longer for what else its page shows. */
const WAIT_MS = 1500;

/**
 * What else is known of an action.
 * @returns also whether the page can be shown without anything that comes later and moves it
 */
export function useContextOf(
  actionId: string,
  action: Action | undefined,
): { context: ActionContext | undefined; isReady: boolean } {
  const { data: context, failureCount } = useQuery(contextQuery(actionId));
  const [isReady, setReady] = useState(false);
  const isKnown = action !== undefined && (context !== undefined || failureCount > 0);
  const missing = isKnown && !isReady ? missingParts(action, context) : [];
  if (isKnown && !isReady && missing.length === 0) setReady(true);
  const isMissing = missing.length > 0;
  useEffect(() => {
    // What can't be loaded says so on the page.
    if (isMissing) void Promise.allSettled(missing.map((part) => part.preload())).then(() => setReady(true));
    // eslint-disable-next-line react-hooks/exhaustive-deps -- they are another list in each rendering
  }, [isMissing]);
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
  return { context, isReady };
}
