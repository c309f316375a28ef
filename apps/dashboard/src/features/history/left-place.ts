import type { ListPlace } from '../../components/virtual-list.js';

/** Where the person left the history for the page of a request: the moment that it showed, and how far it was scrolled. */
interface Place {
  /** The query of the URL, which has the record that was open. */
  search: string;
  atMs: number;
  list: ListPlace;
  page: number;
}

let left: Place | null = null;

export const leavePlace = (place: Place): void => {
  left = place;
};

/** The place in the history to which this URL leads back. Null: the person comes from elsewhere. */
export const leftPlace = (search: string): Place | null =>
  left?.search === search && new URLSearchParams(search).has('id') ? left : null;
