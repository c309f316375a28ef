import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Returns Node's class with another prototype, so that Express need not change the prototype of each object. V8 gives
 * an object with a changed prototype its own hidden classes: property lookups become slow, and referenced objects stay
 * in memory until a full garbage collection.
 *
 * Node's constructors are functions, not classes, so `apply` works. `Reflect.construct` would give each object its own
 * hidden class again. With Node's constructor as the prototype of ours, V8 knows how much space an object's properties
 * need.
 */
export function withPrototype<T extends typeof IncomingMessage | typeof ServerResponse>(base: T, prototype: object): T {
  function Replacement(this: object, ...args: unknown[]): void {
    (base as unknown as (...args: unknown[]) => void).apply(this, args);
  }
  Replacement.prototype = prototype;
  Object.setPrototypeOf(Replacement, base);
  return Replacement as unknown as T;
}
