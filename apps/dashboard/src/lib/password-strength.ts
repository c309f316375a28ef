import { PASSWORD_MIN } from '#contracts/limits';

type PasswordStrength = 'short' | 'weak' | 'good' | 'strong';

/**
 * A rough estimate for a hint. Length counts; repetitions and sequences do not. Only the server decides which passwords
 * it accepts.
 */
export function passwordStrength(password: string): PasswordStrength {
  const characters = [...password];
  if (characters.length < PASSWORD_MIN) return 'short';
  const pool =
    (/[a-z]/.test(password) ? 26 : 0) +
    (/[A-Z]/.test(password) ? 26 : 0) +
    (/\d/.test(password) ? 10 : 0) +
    (/[^a-zA-Z\d]/.test(password) ? 30 : 0);
  const telling = characters.filter((character, index) => {
    const step = index === 0 ? NaN : character.codePointAt(0)! - characters[index - 1]!.codePointAt(0)!;
    return Number.isNaN(step) || Math.abs(step) > 1;
  });
  const variety = Math.min(telling.length, new Set(characters).size * 2);
  const bits = variety * Math.log2(pool);
  return bits < 45 ? 'weak' : bits < 70 ? 'good' : 'strong';
}
