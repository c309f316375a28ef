import { Alert, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { failure } from '../lib/http.js';
import { sharedMessages } from '../lib/messages.js';
import { CopyButton } from './copy-button.js';
import { Icon, type IconName } from './icon.js';
import classes from './notices.module.css';

interface ErrorCardProps {
  error: unknown;
  retry?: () => void;
  title?: string;
}

/** An error with its request ID, which is also in the log, and a button to try again. */
export function ErrorCard({ error, retry, title = sharedMessages.errors.title }: ErrorCardProps) {
  const { message, requestId, outage } = failure(error);
  return (
    <Paper role="alert" withBorder m="lg" p="lg" className={classes.error}>
      <Stack gap="sm" align="flex-start">
        <Group gap="sm">
          <Icon name="warning" size={18} />
          <strong>{outage && !navigator.onLine ? sharedMessages.errors.offlineTitle : title}</strong>
        </Group>
        <Text>{message}</Text>
        {requestId && (
          <Text size="sm" c="dimmed">
            {sharedMessages.errors.requestId}{' '}
            <span className="mono" translate="no">
              {requestId}
            </span>
          </Text>
        )}
        <Group gap="sm">
          {retry && (
            <Button size="xs" variant="default" onClick={retry}>
              {sharedMessages.errors.retry}
            </Button>
          )}
          {requestId && <CopyButton text={`${message} (${requestId})`} />}
        </Group>
      </Stack>
    </Paper>
  );
}

/** Stands in for a part of a page whose code cannot be loaded. */
export function PartNotLoaded() {
  return <ErrorCard error={new Error(sharedMessages.errors.newVersion)} retry={() => location.reload()} />;
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
    <Stack align="center" gap={6} maw={420} mx="auto" my={48} px="xl" ta="center">
      <Group justify="center" w={48} h={48} mb={6} bdrs={24} c="var(--agw-accent)" bg="var(--agw-selected)">
        <Icon name={icon} size={24} />
      </Group>
      {heading ? (
        <Title order={1} size="h3">
          {title}
        </Title>
      ) : (
        <strong>{title}</strong>
      )}
      {text && (
        <Text component="div" size="sm" c="dimmed">
          {text}
        </Text>
      )}
      {action && (
        <Group mt="md" justify="center">
          {action}
        </Group>
      )}
    </Stack>
  );
}

interface CalloutProps {
  tone: keyof typeof TONES;
  children: ReactNode;
}

const TONES = {
  info: { color: 'note', icon: 'status' },
  warning: { color: 'medium', icon: 'warning' },
  danger: { color: 'critical', icon: 'warning' },
  success: { color: 'low', icon: 'check' },
} as const;

/** A highlighted sentence within a page. */
export function Callout({ tone, children }: CalloutProps) {
  const { color, icon } = TONES[tone];
  return (
    <Alert color={color} icon={<Icon name={icon} size={18} />}>
      {children}
    </Alert>
  );
}
