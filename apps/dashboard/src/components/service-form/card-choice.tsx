import { useId } from 'react';
import classes from './service-form.module.css';

interface Props<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; title: string; text?: string }[];
  onChange: (value: T) => void;
}

/** A choice between a few options, each with an explanation. */
export function CardChoice<T extends string>({ label, value, options, onChange }: Props<T>) {
  const name = useId();
  return (
    <fieldset className={classes.choice}>
      <legend>{label}</legend>
      <div className={classes.cards}>
        {options.map((option) => (
          <label key={option.value} className={classes.card}>
            <input type="radio" name={name} checked={option.value === value} onChange={() => onChange(option.value)} />
            <span>
              <b>{option.title}</b>
              {option.text && <span className={classes.cardText}>{option.text}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
