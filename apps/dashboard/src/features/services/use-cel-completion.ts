import { useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject, type SyntheticEvent } from 'react';
import { completed, completionsAt, type Completions, type KnownNames } from './cel-completion.js';

interface Settings {
  input: RefObject<HTMLTextAreaElement | null>;
  value: string;
  known: KnownNames;
  onChange: (value: string) => void;
}

/** The list of completions of a text field, and its keys: arrows, Enter or Tab, Escape, and Ctrl with the space bar. */
export function useCelCompletion({ input, value, known, onChange }: Settings) {
  const [offered, setOffered] = useState<Completions | null>(null);
  const [active, setActive] = useState(0);
  const caret = useRef<number | null>(null);
  // React puts the caret at the end of a text that it changes.
  useLayoutEffect(() => {
    if (caret.current !== null) input.current?.setSelectionRange(caret.current, caret.current);
    caret.current = null;
  }, [value, input]);
  const options = offered?.options ?? [];
  const close = () => setOffered(null);
  const offer = (text: string, at: number, isAsked = false) => {
    setOffered(completionsAt(text, at, known, isAsked));
    setActive(0);
  };
  const take = (option: string) => {
    const { current } = input;
    if (current === null || offered === null) return;
    const next = completed(value, current.selectionStart, offered.from, option);
    caret.current = next.at;
    close();
    onChange(next.text);
  };
  const moves: Record<string, () => void> = {
    ArrowDown: () => setActive((active + 1) % options.length),
    ArrowUp: () => setActive((active + options.length - 1) % options.length),
    Enter: () => take(options[active]!),
    Tab: () => take(options[active]!),
    Escape: close,
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    const { selectionStart, selectionEnd } = event.currentTarget;
    const asks = event.key === ' ' && event.ctrlKey;
    const isPlain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    const move = options.length > 0 && isPlain ? moves[event.key] : undefined;
    if (asks) offer(value, selectionStart, true);
    else if (move !== undefined) move();
    // The caret leaves the word.
    else if (/^(Arrow|Home|End|Page)/.test(event.key) || selectionStart !== selectionEnd) return close();
    else return;
    event.preventDefault();
  };
  const events = {
    onKeyDown,
    onClick: close,
    onChange: ({ currentTarget }: SyntheticEvent<HTMLTextAreaElement>) => {
      onChange(currentTarget.value);
      offer(currentTarget.value, currentTarget.selectionStart);
    },
  };
  return { options, active, take, close, events };
}
