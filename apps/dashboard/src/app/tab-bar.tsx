import { Box, UnstyledButton } from '@mantine/core';
import { NavLink, useLocation } from 'react-router';
import { Icon } from '../components/icon.js';
import { sharedMessages } from '../lib/messages.js';
import { TAB_BAR_ITEMS, useNavigation, type NavigationItem } from './navigation.js';
import classes from './shell.module.css';
import { StatusDot } from './status-dot.js';
import { WaitingCount } from './waiting-count.js';

/** The navigation on phones. */
export function TabBar({ waiting, openMore }: { waiting: number; openMore: () => void }) {
  const { pathname } = useLocation();
  const pages = useNavigation();
  const inMore = pages.slice(TAB_BAR_ITEMS).some((item) => isIn(item, pathname));
  return (
    <Box component="nav" hiddenFrom="md" className={classes.tabs} aria-label={sharedMessages.nav.label}>
      {pages.slice(0, TAB_BAR_ITEMS).map((item) => (
        <NavLink key={item.to} to={item.to} className={classes.tab}>
          <span className={classes.tabIcon}>
            <Icon name={item.icon} size={22} />
            {item.to === '/approvals' && <WaitingCount value={waiting} size="sm" />}
          </span>
          {item.label}
        </NavLink>
      ))}
      <UnstyledButton
        className={classes.tab}
        aria-haspopup="dialog"
        data-current={inMore || undefined}
        onClick={openMore}
      >
        <span className={classes.tabIcon}>
          <Icon name="more" size={22} />
          {/* The status page is under More. */}
          <StatusDot problemsOnly />
        </span>
        {sharedMessages.nav.more}
      </UnstyledButton>
    </Box>
  );
}

const isIn = (item: NavigationItem, pathname: string): boolean =>
  pathname === item.to || pathname.startsWith(`${item.to}/`);
