import { useEffect, type ReactNode } from 'react';
import { pageTitle } from '../lib/title.js';
import classes from './Page.module.css';

interface Props {
  title: string;
  /** Over the title: the way back. */
  above?: ReactNode;
  /** Beside the title: state, counts. */
  aside?: ReactNode;
  /** At the end of the header: the page's buttons. */
  actions?: ReactNode;
  /** One sentence under the title. */
  lead?: ReactNode;
  /** `text` keeps lines readable, `wide` is for tables. */
  width?: 'text' | 'wide';
  children: ReactNode;
}

/** A page with its heading. Sets the document's title, to which the shell adds the count of waiting actions. */
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

/** A titled block of a page. */
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

/** A raised surface. */
export function Card({ children, padded = true }: { children: ReactNode; padded?: boolean }) {
  return (
    <div className={classes.card} data-padded={padded || undefined}>
      {children}
    </div>
  );
}
