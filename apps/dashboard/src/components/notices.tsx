import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { failure } from '../lib/http.js';
import { messages } from '../lib/messages.js';
import { CopyButton } from './copy-button.js';
import { Icon, type IconName } from './icon.js';
import classes from './notices.module.css';

interface ErrorCardProps {
  error: unknown;
  retry?: () => void;
  title?: string;
}

/** An error with its request ID, which is also in the log, and a button to try again. */
export function ErrorCard({ error, retry, title = messages.errors.title }: ErrorCardProps) {
  const { message, requestId, outage } = failure(error);
  return (
    <div role="alert" className={classes.error}>
      <strong className={classes.title}>
        <Icon name="warning" size={18} />
        {outage && !navigator.onLine ? messages.errors.offlineTitle : title}
      </strong>
      <p>{message}</p>
      {requestId && (
        <p className={classes.small}>
          {messages.errors.requestId} <span className="mono">{requestId}</span>
        </p>
      )}
      <Group gap="sm">
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            {messages.errors.retry}
          </Button>
        )}
        {requestId && <CopyButton text={`${message} (${requestId})`} />}
      </Group>
    </div>
  );
}

interface EmptyStateProps {
  title: string;
  text?: ReactNode;
  icon?: IconName;
  action?: ReactNode;
  /** Makes the title the heading of the page. Use it when there is nothing else on the page. */
  heading?: boolean;
}

export function EmptyState({ title, text, icon = 'check', action, heading = false }: EmptyStateProps) {
  return (
    <div className={classes.empty}>
      <span className={classes.emptyIcon}>
        <Icon name={icon} size={24} />
      </span>
      {heading ? <h1 className={classes.heading}>{title}</h1> : <strong>{title}</strong>}
      {text && <div className={classes.small}>{text}</div>}
      {action && <div className={classes.emptyAction}>{action}</div>}
    </div>
  );
}

interface CalloutProps {
  tone: 'info' | 'warning' | 'danger' | 'success';
  children: ReactNode;
}

/** A highlighted sentence within a page. */
export function Callout({ tone, children }: CalloutProps) {
  const icon = tone === 'success' ? 'check' : tone === 'info' ? 'status' : 'warning';
  return (
    <div className={classes.callout} data-tone={tone}>
      <Icon name={icon} size={18} />
      <div>{children}</div>
    </div>
  );
}
