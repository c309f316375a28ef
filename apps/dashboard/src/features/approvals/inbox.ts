import type { Action } from '#contracts';

/**
 * The list on screen, apart from what the server holds: nothing in it moves unless the user did something. Newcomers wait until
 * they are asked for; what others decided stays in its place, marked, until the user's next act.
 */
export interface Inbox {
  /** In the order of the screen. */
  shown: readonly Action[];
  newcomers: readonly Action[];
  loaded: boolean;
}

export type InboxChange =
  /** Another view. */
  | { type: 'left' }
  /** The whole list as the server has it now. `extended`: it differs by a further page at its end. */
  | { type: 'loaded'; items: readonly Action[]; extended: boolean }
  /** A live event told of it. */
  | { type: 'changed'; action: Action; belongs: boolean }
  | { type: 'revealed'; order: (a: Action, b: Action) => number }
  /** Decided here: leaves at once. */
  | { type: 'decided'; ids: readonly string[] }
  /** What was decided elsewhere may leave. */
  | { type: 'tidied'; belongs: (action: Action) => boolean };

export const EMPTY_INBOX: Inbox = { shown: [], newcomers: [], loaded: false };

export function reduceInbox(inbox: Inbox, change: InboxChange): Inbox {
  switch (change.type) {
    case 'left':
      return EMPTY_INBOX;
    case 'loaded':
      return load(inbox, change.items, change.extended);
    case 'changed':
      return apply(inbox, change.action, change.belongs);
    case 'revealed':
      return { ...inbox, shown: [...inbox.shown, ...inbox.newcomers].sort(change.order), newcomers: [] };
    case 'decided': {
      const stays = ({ action_id }: Action) => !change.ids.includes(action_id);
      return { ...inbox, shown: inbox.shown.filter(stays), newcomers: inbox.newcomers.filter(stays) };
    }
    case 'tidied':
      return inbox.shown.every(change.belongs) ? inbox : { ...inbox, shown: inbox.shown.filter(change.belongs) };
  }
}

function load(inbox: Inbox, items: readonly Action[], extended: boolean): Inbox {
  if (!inbox.loaded) return { shown: items, newcomers: [], loaded: true };
  const fresh = new Map(items.map((item) => [item.action_id, item]));
  const known = new Set(inbox.shown.map(({ action_id }) => action_id));
  const shown = inbox.shown.map((item) => fresh.get(item.action_id) ?? item);
  const unknown = items.filter(({ action_id }) => !known.has(action_id));
  if (!extended) return { ...inbox, shown, newcomers: unknown };
  const waiting = new Set(inbox.newcomers.map(({ action_id }) => action_id));
  return { ...inbox, shown: [...shown, ...unknown.filter(({ action_id }) => !waiting.has(action_id))] };
}

function apply(inbox: Inbox, action: Action, belongs: boolean): Inbox {
  const same = ({ action_id }: Action) => action_id === action.action_id;
  if (inbox.shown.some(same)) return { ...inbox, shown: inbox.shown.map((item) => (same(item) ? action : item)) };
  const others = inbox.newcomers.filter((item) => !same(item));
  if (belongs) return { ...inbox, newcomers: [...others, action] };
  return others.length === inbox.newcomers.length ? inbox : { ...inbox, newcomers: others };
}
