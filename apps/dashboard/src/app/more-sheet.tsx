import { Drawer } from '@mantine/core';
import { Link } from 'react-router';
import { Icon } from '../components/icon.js';
import { messages } from '../lib/messages.js';
import { navigation, TAB_BAR_ITEMS } from './navigation.js';
import classes from './more-sheet.module.css';

/** Lists the pages that do not fit in the tab bar of a phone. */
export default function MoreSheet({ close, leave }: { close: () => void; leave: () => void }) {
  return (
    <Drawer opened onClose={close} position="bottom" size="auto" title={messages.nav.more}>
      {navigation.slice(TAB_BAR_ITEMS).map((item) => (
        <Link key={item.to} to={item.to} className={classes.item} onClick={close}>
          <Icon name={item.icon} />
          {item.label}
        </Link>
      ))}
      <button type="button" className={classes.item} onClick={leave}>
        <Icon name="logout" />
        {messages.nav.logOut}
      </button>
    </Drawer>
  );
}
