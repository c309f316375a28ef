import type { Action } from '#contracts';

type Order = (a: Action, b: Action) => number;

/**
 * The list on screen, apart from what the server holds: nothing in it moves unless the user did something. Newcomers wait until
 * they are asked for; what others decided stays in its place, marked, until the user's next act. Only an empty list takes newcomers
 * in at once: it has nothing that could move.
 */
export interface Inbox {
  /** In the order of the screen. */
  shown: readonly Action[];
  newcomers: readonly Action[];
  loaded: boolean;
  order: Order;
}

export type InboxChange =
  /** Another view, in this order. */
  | { type: 'left'; order: Order }
  /** The whole list as the server has it now. `extended`: it differs by a further page at its end. */
  | { type: 'loaded'; items: readonly Action[]; extended: boolean }
  /** A live event told of it. */
  | { type: 'changed'; action: Action; belongs: boolean }
  | { type: 'revealed' }
  /** Decided here: leaves at once. */
  | { type: 'decided'; ids: readonly string[] }
  /** What was decided elsewhere may leave. */
  | { type: 'tidied'; belongs: (action: Action) => boolean };

export const emptyInbox = (order: Order): Inbox => ({ shown: [], newcomers: [], loaded: false, order });

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
      return reveal(inbox);
    case 'decided': {
      const stays = ({ action_id }: Action) => !change.ids.includes(action_id);
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

function load(inbox: Inbox, items: readonly Action[], extended: boolean): Inbox {
  const fresh = new Map(items.map((item) => [item.action_id, item]));
  if (!inbox.loaded) {
    // An event may be faster than the list, which then does not have its action.
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

function hear(inbox: Inbox, action: Action, belongs: boolean): Inbox {
  const same = ({ action_id }: Action) => action_id === action.action_id;
  if (inbox.shown.some(same)) return { ...inbox, shown: inbox.shown.map((item) => (same(item) ? action : item)) };
  const others = inbox.newcomers.filter((item) => !same(item));
  if (belongs) return { ...inbox, newcomers: [...others, action] };
  return others.length === inbox.newcomers.length ? inbox : { ...inbox, newcomers: others };
}
