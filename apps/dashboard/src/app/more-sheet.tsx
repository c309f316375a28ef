import { Drawer, NavLink } from '@mantine/core';
import { Link } from 'react-router';
import { Icon } from '../components/icon.js';
import { messages } from '../lib/messages.js';
import { TAB_BAR_ITEMS, useNavigation } from './navigation.js';

/** Lists the pages that do not fit in the tab bar of a phone. */
export default function MoreSheet({ close, leave }: { close: () => void; leave: () => void }) {
  const pages = useNavigation();
  return (
    <Drawer opened onClose={close} position="bottom" size="auto" title={messages.nav.more}>
      {pages.slice(TAB_BAR_ITEMS).map((item) => (
        <NavLink
          key={item.to}
          component={Link}
          to={item.to}
          label={item.label}
          leftSection={<Icon name={item.icon} />}
          mih={48}
          onClick={close}
        />
      ))}
      <NavLink
        component="button"
        label={messages.nav.logOut}
        leftSection={<Icon name="logout" />}
        mih={48}
        onClick={leave}
      />
    </Drawer>
  );
}
