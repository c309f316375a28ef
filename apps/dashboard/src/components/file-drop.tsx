import { useId, useRef, useState, type ReactNode } from 'react';
import { Icon } from './icon.js';
import classes from './file-drop.module.css';

interface Props {
  label: ReactNode;
  hint?: string;
  accept: string;
  onFile: (name: string, content: string) => void;
  onTooLarge: (name: string) => void;
  maxBytes: number;
}

/** Accepts a dropped text file, or opens the file picker. */
export function FileDrop({ label, hint, accept, onFile, onTooLarge, maxBytes }: Props) {
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  async function take(file: File | undefined) {
    if (!file) return;
    if (file.size > maxBytes) onTooLarge(file.name);
    else onFile(file.name, await file.text());
  }
  return (
    <div
      className={classes.drop}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void take(event.dataTransfer.files[0]);
      }}
    >
      <button
        type="button"
        className={classes.button}
        aria-describedby={hint && id}
        onClick={() => input.current?.click()}
      >
        <Icon name="note" />
        <span>{label}</span>
      </button>
      {hint && (
        <div id={id} className={classes.hint}>
          {hint}
        </div>
      )}
      <input
        ref={input}
        type="file"
        accept={accept}
        hidden
        onChange={(event) => {
          void take(event.currentTarget.files?.[0]);
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}
