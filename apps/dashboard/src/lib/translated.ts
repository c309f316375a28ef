/**
 * Translators of browsers replace the texts of the page: Chrome and Edge remove a text node, or wrap it, and show a
 * `<font>` element in its place. React still holds the text node. It would throw when it removes the node or inserts
 * another one before it. Its next text would stay invisible, so that the page would show an old state. So this module
 * finds the element that replaced a text node, and puts the node back when its text changes. The translator then
 * translates it again.
 *
 * Texts that nobody may misread, such as requests, names and URLs, are not translated at all (`translate="no"`).
 */
const standIns = new WeakMap<Node, Element>();

/** The child of `parent` that shows `child`, or null if nothing does. */
function shown(parent: Node, child: Node): ChildNode | null {
  let node: Node | null = child.isConnected ? child : (standIns.get(child) ?? null);
  while (node && node.parentNode !== parent) node = node.parentNode;
  return node as ChildNode | null;
}

/** Called once when the page starts, before React renders. */
export function followTranslation(): void {
  const node = Node.prototype;
  const remove = Reflect.get(node, 'removeChild') as (this: Node, child: Node) => Node;
  const insert = Reflect.get(node, 'insertBefore') as (this: Node, added: Node, before: Node | null) => Node;
  node.removeChild = function <T extends Node>(this: Node, child: T): T {
    if (child.parentNode === this || child.nodeType !== Node.TEXT_NODE) remove.call(this, child);
    else shown(this, child)?.remove();
    return child;
  };
  node.insertBefore = function <T extends Node>(this: Node, added: T, before: Node | null): T {
    insert.call(this, added, before && before.parentNode !== this ? shown(this, before) : before);
    return added;
  };
  new MutationObserver(noteReplaced).observe(document.body, { childList: true, subtree: true });
}

function noteReplaced(changes: MutationRecord[]): void {
  for (const { addedNodes } of changes) {
    for (const added of addedNodes) {
      if (added instanceof HTMLElement && added.tagName === 'FONT') noteStandIn(added, changes);
    }
  }
}

/** A text that was removed beside the new element in the same step. */
function noteStandIn(element: HTMLElement, changes: readonly MutationRecord[]): void {
  for (const { removedNodes, previousSibling, nextSibling, addedNodes } of changes) {
    const beside = previousSibling === element || nextSibling === element || [...addedNodes].includes(element);
    if (!beside) continue;
    for (const text of removedNodes) {
      if (text.nodeType !== Node.TEXT_NODE || text.isConnected) continue;
      standIns.set(text, element);
      changed.observe(text, { characterData: true });
    }
  }
}

const changed = new MutationObserver((changes) => {
  for (const { target } of changes) {
    const element = standIns.get(target);
    if (!element || target.isConnected) continue;
    standIns.delete(target);
    element.replaceWith(target);
  }
});
