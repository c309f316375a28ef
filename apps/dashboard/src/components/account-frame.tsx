import type { ReactNode } from 'react';
import { messages } from '../lib/messages.js';
import classes from './account-frame.module.css';

/** The frame around the pages before login. */
export function AccountFrame({ children, wide = false }: { children: ReactNode; wide?: boolean }) {
  return (
    <main className={classes.frame} data-wide={wide || undefined}>
      <div className={classes.brand}>
        <svg width="30" height="30" viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="8" fill="var(--agw-accent)" />
          <path d="M9 7v18M23 7v18" stroke="var(--agw-surface)" strokeWidth="3" strokeLinecap="round" />
          <circle cx="16" cy="16" r="3.5" fill="var(--agw-surface)" />
        </svg>
        {messages.product}
      </div>
      {children}
    </main>
  );
}
