/** The ways to authenticate that a person can choose. Some of them share an auth type of the API. */
export const WAYS = ['bearer', 'api_key', 'basic', 'oauth', 'custom', 'aws', 'access_token', 'none'] as const;
export type Way = (typeof WAYS)[number];
