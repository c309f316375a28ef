import { PASSWORD_MIN } from '#contracts/limits';

/** Texts below the field for a new password. */
export const passwordMessages = {
  rule: `At least ${PASSWORD_MIN} characters. A few random words work well.`,
  strength: {
    short: `Too short: enter at least ${PASSWORD_MIN} characters`,
    weak: 'Easy to guess',
    good: 'Good',
    strong: 'Strong',
  },
} as const;
