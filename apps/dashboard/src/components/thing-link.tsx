import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useReads } from '../lib/workspace.js';

interface Props {
  kind: 'services' | 'agents';
  /** null: it was deleted. */
  id: number | null;
  /** The tab to open. */
  tab?: string;
  children: ReactNode;
}

/** The name of a service or an agent. It is a link for those who can open its page. */
export function ThingLink({ kind, id, tab, children }: Props) {
  const reads = useReads();
  return id !== null && reads ? (
    <Link to={`/${kind}/${id}${tab ? `/${tab}` : ''}`} translate="no">
      {children}
    </Link>
  ) : (
    <span translate="no">{children}</span>
  );
}
