/** Work that waits for one thread. The senders take turns, so that each waits for at most one item of every other. */
export class SenderQueue<Item> {
  /** The items of each sender. The next item is the first one of the first sender. */
  private readonly waiting = new Map<unknown, Item[]>();

  get isEmpty(): boolean {
    return this.waiting.size === 0;
  }

  add(sender: unknown, item: Item): void {
    const own = this.waiting.get(sender);
    if (own === undefined) this.waiting.set(sender, [item]);
    else own.push(item);
  }

  /** The next item, which stays. */
  get next(): Item | undefined {
    return this.waiting.values().next().value?.[0];
  }

  /** The next item, without it. Its sender is the last one now. */
  take(): Item | undefined {
    const [first] = this.waiting;
    if (first === undefined) return undefined;
    const [sender, items] = first;
    const taken = items.shift();
    this.waiting.delete(sender);
    if (items.length > 0) this.waiting.set(sender, items);
    return taken;
  }
}
