import type { ActionSummary } from '#contracts';

type Order = (a: ActionSummary, b: ActionSummary) => number;

/**
 * The list on screen, which may differ from the list on the server. Nothing moves unless the user acts. New actions
 * wait until the user shows them. Actions that others decided stay in place, marked, until the user's next action. Only
 * an empty list shows new actions immediately, because nothing in it can move.
 */
export interface Inbox {
  /** In display order. */
  shown: readonly ActionSummary[];
  newcomers: readonly ActionSummary[];
  /** The ids of the new actions that the user has just shown. Their rows are marked. */
  fresh: readonly string[];
  loaded: boolean;
  order: Order;
}

export type InboxChange =
  /** Shows another view in this order. */
  | { type: 'left'; order: Order }
  /** The complete list from the server. `extended` means that it has one more page at its end. */
  | { type: 'loaded'; items: readonly ActionSummary[]; extended: boolean }
  /** A live event reported this action. */
  | { type: 'changed'; action: ActionSummary; belongs: boolean }
  | { type: 'revealed' }
  /** Decided by this user: it leaves the list immediately. */
  | { type: 'decided'; ids: readonly string[] }
  /** Removes the actions that others decided. */
  | { type: 'tidied'; belongs: (action: ActionSummary) => boolean };

export const emptyInbox = (order: Order): Inbox => ({ shown: [], newcomers: [], fresh: [], loaded: false, order });

export function reduceInbox(inbox: Inbox, change: InboxChange): Inbox {
  const next = apply(inbox, change);
  return next.loaded && next.shown.length === 0 && next.newcomers.length > 0 ? reveal(next) : next;
}

function apply(inbox: Inbox, change: InboxChange): Inbox {
  switch (change.type) {
    case 'left':
      return emptyInbox(change.order);
    case 'loaded':
      return load(inbox, change.items, change.extended);
    case 'changed':
      return hear(inbox, change.action, change.belongs);
    case 'revealed':
      return { ...reveal(inbox), fresh: inbox.newcomers.map(({ action_id }) => action_id) };
    case 'decided': {
      const stays = ({ action_id }: ActionSummary) => !change.ids.includes(action_id);
      return { ...inbox, shown: inbox.shown.filter(stays), newcomers: inbox.newcomers.filter(stays) };
    }
    case 'tidied':
      return inbox.shown.every(change.belongs) ? inbox : { ...inbox, shown: inbox.shown.filter(change.belongs) };
  }
}

const reveal = (inbox: Inbox): Inbox => ({
  ...inbox,
  shown: [...inbox.shown, ...inbox.newcomers].sort(inbox.order),
  newcomers: [],
});

function load(inbox: Inbox, items: readonly ActionSummary[], extended: boolean): Inbox {
  const fresh = new Map(items.map((item) => [item.action_id, item]));
  if (!inbox.loaded) {
    // An event can arrive before the list, which then lacks its action.
    const newcomers = inbox.newcomers.filter(({ action_id }) => !fresh.has(action_id));
    return { ...inbox, shown: items, newcomers, loaded: true };
  }
  const known = new Set(inbox.shown.map(({ action_id }) => action_id));
  const shown = inbox.shown.map((item) => fresh.get(item.action_id) ?? item);
  const unknown = items.filter(({ action_id }) => !known.has(action_id));
  if (!extended) return { ...inbox, shown, newcomers: unknown };
  const waiting = new Set(inbox.newcomers.map(({ action_id }) => action_id));
  return { ...inbox, shown: [...shown, ...unknown.filter(({ action_id }) => !waiting.has(action_id))] };
}

function hear(inbox: Inbox, action: ActionSummary, belongs: boolean): Inbox {
  const same = ({ action_id }: ActionSummary) => action_id === action.action_id;
  if (inbox.shown.some(same)) return { ...inbox, shown: inbox.shown.map((item) => (same(item) ? action : item)) };
  const others = inbox.newcomers.filter((item) => !same(item));
  if (belongs) return { ...inbox, newcomers: [...others, action] };
  return others.length === inbox.newcomers.length ? inbox : { ...inbox, newcomers: others };
}
