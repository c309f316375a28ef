import { codePoint, examine } from '../lib/text-safety.js';
import { sharedMessages } from '../lib/messages.js';
import classes from './untrusted-text.module.css';

interface Props {
  text: string;
  inline?: boolean;
  /** Sentences for people, which a browser may translate. Anything else, such as a name or a URL, stays as it is. */
  prose?: boolean;
}

/**
 * Text from an agent or an upstream. It is shown as plain text without links or markup, isolated from the surrounding
 * text direction. Invisible and misleading characters are spelled out.
 */
export function UntrustedText({ text, inline = false, prose = false }: Props) {
  return (
    <bdi className={inline ? classes.inline : classes.text} dir="auto" translate={prose ? undefined : 'no'}>
      {examine(text).map((piece, index) =>
        piece.suspicion === null ? (
          piece.text
        ) : (
          <span
            key={index}
            className={classes[piece.suspicion]}
            title={sharedMessages.suspicions.titles[piece.suspicion](codePoint(piece.text))}
          >
            {piece.suspicion === 'lookalike' ? piece.text : codePoint(piece.text)}
          </span>
        ),
      )}
    </bdi>
  );
}
