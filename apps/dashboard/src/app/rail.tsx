import { Box, Button, Group, Stack, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { NavLink } from 'react-router';
import { Icon } from '../components/icon.js';
import { Logo } from '../components/logo.js';
import { sharedMessages } from '../lib/messages.js';
import { ErrorBoundary } from './error-boundary.js';
import { leave } from './leave.js';
import { useNavigation } from './navigation.js';
import classes from './shell.module.css';
import { StatusDot } from './status-dot.js';
import { WaitingCount } from './waiting-count.js';

const AttentionCount = lazy(() => import('../features/attention/count.js'));
const RailFoot = lazy(() => import('./rail-foot.js'));
const Switcher = lazy(() => import('../features/workspaces/switcher.js'));

/** The navigation on wide screens. */
export function Rail({ waiting, openPalette }: { waiting: number; openPalette: () => void }) {
  const pages = useNavigation();
  return (
    <Stack
      gap={2}
      visibleFrom="md"
      className={classes.rail}
      aria-label={sharedMessages.nav.label}
      renderRoot={(root) => <nav {...root} />}
    >
      <Group gap="sm" px="sm" pt={2} pb={14} fw={650} wrap="nowrap">
        <Logo size={24} />
        {sharedMessages.product}
      </Group>
      {/* The page also works without it. */}
      <ErrorBoundary fallback={null}>
        <Suspense fallback={<Box h={48} flex="none" />}>
          <Switcher />
        </Suspense>
      </ErrorBoundary>
      <Button
        variant="default"
        flex="none"
        mb="md"
        px="sm"
        bd="1px solid var(--agw-line)"
        c="dimmed"
        fw={400}
        justify="start"
        leftSection={<Icon name="search" size={16} />}
        rightSection={
          <Text span inherit fz={11}>
            {navigator.platform.startsWith('Mac') ? '⌘K' : 'Ctrl K'}
          </Text>
        }
        styles={{ label: { flex: 1 } }}
        onClick={openPalette}
      >
        {sharedMessages.nav.palette}
      </Button>
      {pages.map((item) => (
        <NavLink key={item.to} to={item.to} className={classes.link}>
          <Icon name={item.icon} />
          <Text span inherit flex={1}>
            {item.label}
          </Text>
          {item.to === '/approvals' && <WaitingCount value={waiting} />}
          {item.to === '/attention' && (
            <ErrorBoundary fallback={null}>
              <Suspense>
                <AttentionCount />
              </Suspense>
            </ErrorBoundary>
          )}
          {item.to === '/status' && <StatusDot />}
        </NavLink>
      ))}
      <Box mt="auto">
        <ErrorBoundary fallback={null}>
          <Suspense>
            <RailFoot leave={leave} />
          </Suspense>
        </ErrorBoundary>
      </Box>
    </Stack>
  );
}
