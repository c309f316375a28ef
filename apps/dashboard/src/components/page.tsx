import { useEffect, type ReactNode } from 'react';
import { pageTitle } from '../lib/title.js';
import classes from './page.module.css';

interface Props {
  title: string;
  /** A link above the title, back to the list. */
  above?: ReactNode;
  /** State or counts beside the title. */
  aside?: ReactNode;
  /** The page's buttons, at the end of the header. */
  actions?: ReactNode;
  /** A sentence under the title. */
  lead?: ReactNode;
  /** `text` limits the line length, `wide` is for tables. */
  width?: 'text' | 'wide';
  children: ReactNode;
}

/** A page with its heading. It sets the document title; the shell adds the number of waiting actions. */
export function Page({ title, above, aside, actions, lead, width = 'wide', children }: Props) {
  useEffect(() => pageTitle.set(title), [title]);
  return (
    <div className={classes.page} data-width={width}>
      <header className={classes.header}>
        {above && <div className={classes.above}>{above}</div>}
        <div className={classes.heading}>
          <h1 className={classes.title} tabIndex={-1}>
            {title}
          </h1>
          {aside}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
        {lead && <p className={classes.lead}>{lead}</p>}
      </header>
      {children}
    </div>
  );
}

/** A section of a page with a title. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section>
      <div className={classes.sectionHead}>
        <h2 className={classes.sectionTitle}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

export function Card({ children, padded = true }: { children: ReactNode; padded?: boolean }) {
  return (
    <div className={classes.card} data-padded={padded || undefined}>
      {children}
    </div>
  );
}
