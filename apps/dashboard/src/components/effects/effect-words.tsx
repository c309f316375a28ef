import type { RequestEffect } from '#contracts';
import { UnstyledButton } from '@mantine/core';
import { useId, useState, type FocusEvent } from 'react';
import classes from './effect-words.module.css';
import { effectMessages } from './messages.js';
import { EffectReasons } from './effect-reasons.js';
import { effectLine, toldEffects } from './told.js';

/**
 * What a request does, in words: "deletes · money". Pointing at them, focus or a press shows the reasons, below the
 * positioned element around them.
 */
export function EffectWords({ effects }: { effects: readonly RequestEffect[] }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  if (effects.length === 0) return null;
  return (
    <div
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && setOpen(true)}
      onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setOpen(false)}
      onBlur={({ currentTarget, relatedTarget }: FocusEvent) => currentTarget.contains(relatedTarget) || setOpen(false)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return;
        event.stopPropagation();
        setOpen(false);
      }}
    >
      <UnstyledButton
        className={classes.button}
        aria-expanded={open}
        aria-controls={id}
        onFocus={({ currentTarget }) => currentTarget.matches(':focus-visible') && setOpen(true)}
        // The pointer has opened it already.
        onClick={({ nativeEvent }) => setOpen(!open || (nativeEvent as PointerEvent).pointerType === 'mouse')}
      >
        <span className="visually-hidden">{effectMessages.label}: </span>
        {effectLine(toldEffects(effects))}
      </UnstyledButton>
      <div id={id} className={classes.reasons} hidden={!open}>
        {open && <EffectReasons effects={effects} />}
      </div>
    </div>
  );
}
