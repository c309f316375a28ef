import { plural } from './format.js';

/** Behind "Not added:". */
export const createServiceMessages = {
  ignored: (count: number) =>
    `${plural(count, 'part', 'parts')} of the OpenAPI document; the page Documentation lists what`,
} as const;
