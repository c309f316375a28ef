import { codePoint, examine } from '../lib/text-safety.js';
import { messages } from '../lib/messages.js';
import classes from './untrusted-text.module.css';

/**
 * Text from an agent or an upstream. It is shown as plain text without links or markup, isolated from the surrounding
 * text direction. Invisible and misleading characters are spelled out.
 */
export function UntrustedText({ text, inline = false }: { text: string; inline?: boolean }) {
  return (
    <bdi className={inline ? classes.inline : classes.text} dir="auto">
      {examine(text).map((piece, index) =>
        piece.suspicion === null ? (
          piece.text
        ) : (
          <span
            key={index}
            className={classes[piece.suspicion]}
            title={messages.suspicions.titles[piece.suspicion](codePoint(piece.text))}
          >
            {piece.suspicion === 'lookalike' ? piece.text : codePoint(piece.text)}
          </span>
        ),
      )}
    </bdi>
  );
}
