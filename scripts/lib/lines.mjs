/** Output of the scripts to the terminal. */
import process from 'node:process';

const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const style = (/** @type {number} */ on, /** @type {number} */ off) => (/** @type {string} */ text) =>
  colour ? `\u001b[${on}m${text}\u001b[${off}m` : text;

export const bold = style(1, 22);
export const dim = style(2, 22);
export const green = style(32, 39);
export const yellow = style(33, 39);
export const red = style(31, 39);

/** @param {string} text */
export function say(text = '') {
  process.stdout.write(`${text}\n`);
}

/** Prints a step of a longer task. @param {string} text */
export function step(text) {
  say(dim(`· ${text}`));
}

/** Ends the script with an error. @param {string} text @returns {never} */
export function fail(text) {
  process.stderr.write(`\n${red('✗')} ${text}\n`);
  process.exit(1);
}
