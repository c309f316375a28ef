export const modelFailingMessages = {
  since: (time: string) => `The risk model has failed since ${time}. New requests are rated without it, or held.`,
} as const;
