import { useId } from 'react';
import classes from './choice.module.css';

interface Props<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
  /** Uses the whole width, with parts of equal size. */
  wide?: boolean;
}

/** A choice between a few options, side by side. Technically radio buttons. */
export function Choice<T extends string>({ label, value, options, onChange, wide = false }: Props<T>) {
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className={classes.group} data-wide={wide || undefined}>
      {options.map((option) => (
        <label key={option.value} className={classes.option}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className={classes.input}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}
