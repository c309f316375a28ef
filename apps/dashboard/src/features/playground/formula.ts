/** The shares of the final score (docs/reference/risk.md#score). */
export const MODEL_SHARE = 0.7;
export const METHOD_SHARE = 0.3;

/** What the model would have to give for the final score to be the threshold. Beyond 0 to 1: it can't. */
export const modelShare = (threshold: number, method: number): number =>
  (threshold - METHOD_SHARE * method) / MODEL_SHARE;

export const blend = (model: number, method: number): number => MODEL_SHARE * model + METHOD_SHARE * method;
