import type { JsonValue } from '../request-reading/request-content.js';

/** One parameter or field, at any depth. */
export interface Entry {
  /** The name at the top level that it stands below. */
  top: string;
  /** As it is written, for the reason. */
  written: string;
  /** The words of its name, joined by hyphens. */
  name: string;
  /** Its name, and others by which some server may know it. They only add effects. */
  names: readonly string[];
  value: JsonValue;
  depth: number;
  /** Whether it stands below a field for text and data of people. */
  isContent: boolean;
  isQuery: boolean;
  /** The names of the fields beside it. */
  beside: readonly string[];
}
