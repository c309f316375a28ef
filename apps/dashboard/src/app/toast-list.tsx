import { Box, CloseButton, Group, Paper, Stack, Text } from '@mantine/core';
import { useStore } from '@nanostores/react';
import { sharedMessages } from '../lib/messages.js';
import { dismissToast, toasts } from '../lib/toasts.js';
import { Icon } from '../components/icon.js';
import classes from './toast-list.module.css';

/** The toasts on screen. `lib/toasts` announces them to screen readers. */
export function ToastList() {
  const list = useStore(toasts);
  return (
    <Stack gap="sm" className={classes.list}>
      {list.map((toast) => (
        <Paper key={toast.id} withBorder shadow="md" px="md" py="sm" fz="sm">
          <Group gap="sm" align="flex-start" wrap="nowrap">
            <Box component="span" c={toast.kind === 'done' ? 'var(--agw-accent)' : 'var(--agw-critical)'}>
              <Icon name={toast.kind === 'done' ? 'check' : 'warning'} size={18} />
            </Box>
            <Box flex={1} miw={0} className="anywhere">
              {toast.text}
              {toast.requestId && (
                <Text component="div" size="xs" c="dimmed">
                  {sharedMessages.errors.requestId}{' '}
                  <span className="mono" translate="no">
                    {toast.requestId}
                  </span>
                </Text>
              )}
              {toast.more}
            </Box>
            <CloseButton
              m={-4}
              iconSize={16}
              aria-label={sharedMessages.actions.dismiss}
              onClick={() => dismissToast(toast.id)}
            />
          </Group>
        </Paper>
      ))}
    </Stack>
  );
}
