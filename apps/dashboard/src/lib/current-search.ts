/**
 * The search parameters of the page's URL, to change some of them. The ones that React Router passes to an updater are
 * those of the last render. A second change before the next render would undo the first one.
 */
export const currentSearch = (): URLSearchParams => new URLSearchParams(window.location.search);
