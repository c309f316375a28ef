/** Where the browser keeps that this person has just joined, until they hide the first steps. */
export const NEWCOMER = 'agw-newcomer';
