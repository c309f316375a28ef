import { useEffect, useRef } from 'react';
import { preferences } from './preferences.js';

/**
 * Keyboard shortcuts. A shortcut is a key (`a`, `Enter`, `/`), `Shift+A`, `Mod+k` (Cmd or Ctrl) or a sequence (`g a`).
 * Shortcuts without Mod can be turned off in Settings. They are ignored while the user types, while a dialog or menu is
 * open or its code loads (`data-opening`), and when the focused element uses the key itself.
 */
export interface Shortcut {
  keys: string;
  /** The description in the `?` sheet. */
  label: string;
  run: () => void;
  /** Also works while typing. */
  always?: boolean;
}

interface Scope {
  title: string;
  shortcuts: readonly Shortcut[];
}

const scopes = new Map<symbol, Scope>();
const SEQUENCE_MS = 1200;
let prefix: { key: string; at: number } | null = null;

/** The active shortcuts, for the `?` sheet. */
export const activeScopes = (): Scope[] => [...scopes.values()];

/** Registers shortcuts while the component is mounted. The latest mounted scope wins. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[], enabled = true): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    if (!enabled) return;
    const id = Symbol(title);
    scopes.set(id, {
      title,
      get shortcuts() {
        return latest.current;
      },
    });
    return () => {
      scopes.delete(id);
    };
  }, [title, enabled]);
}

/**
 * The letter of a key. Other scripts have no Latin letters, so there the place of the key counts: on a Russian keyboard,
 * the key of `j` types `о`. Layouts such as Dvorak and AZERTY have Latin letters in other places, and there the letter
 * counts, also one with an accent.
 */
function toLetter({ key, code }: KeyboardEvent): string | null {
  if (/^[a-z]$/i.test(key)) return key;
  const placed = /^Key([A-Z])$/.exec(code);
  return placed && /^\P{ASCII}$/u.test(key) && !/\p{Script=Latin}/u.test(key) ? placed[1]! : null;
}

export function formatShortcut(event: KeyboardEvent): string {
  const mod = event.metaKey || event.ctrlKey ? 'Mod+' : '';
  const letter = toLetter(event);
  // On some layouts, characters such as `?` need Shift. Shift is then part of the character, not of the shortcut.
  if (letter === null) return `${mod}${event.key}`;
  return `${mod}${event.shiftKey ? `Shift+${letter.toUpperCase()}` : letter.toLowerCase()}`;
}

/**
 * While an input method composes text, its keys choose words. So no handler of a page, a field or a dialog may see
 * them. Some browsers report the key that ends a composition after its end, with the code 229.
 */
function hideComposition(event: KeyboardEvent): void {
  if (event.isComposing || event.keyCode === 229) event.stopImmediatePropagation();
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select'));

const usesKey = (target: EventTarget | null, key: string): boolean =>
  target instanceof HTMLElement &&
  (key === 'Enter' || key === ' ') &&
  target.closest('button, a, summary, [role=tab], [role=menuitem], [role=checkbox]') !== null;

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.repeat || event.altKey) return;
  const key = formatShortcut(event);
  const busy =
    isTyping(event.target) || document.querySelector('[aria-modal=true], [role=menu], [data-opening]') !== null;
  const sequence = prefix && event.timeStamp - prefix.at < SEQUENCE_MS ? `${prefix.key} ${key}` : null;
  prefix = null;
  const all = [...scopes.values()].reverse().flatMap((scope) => scope.shortcuts);
  const usable = all.filter(
    (shortcut) => shortcut.always || (!busy && (shortcut.keys.startsWith('Mod+') || preferences().shortcuts)),
  );
  const hit = usable.find((shortcut) => shortcut.keys === sequence) ?? usable.find((shortcut) => shortcut.keys === key);
  if (hit && !usesKey(event.target, key)) {
    event.preventDefault();
    hit.run();
  } else if (usable.some((shortcut) => shortcut.keys.startsWith(`${key} `))) {
    prefix = { key, at: event.timeStamp };
  }
}

/** Called once when the page starts. */
export function startKeyboard(): void {
  addEventListener('keydown', hideComposition, true);
  document.addEventListener('keydown', onKey);
}
