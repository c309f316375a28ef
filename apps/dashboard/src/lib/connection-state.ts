import type { Service } from '#contracts';

/** Whether requests fail until a person signs in at the provider. */
export const needsPerson = ({ oauth, connection }: Service): boolean =>
  oauth?.grant === 'authorization_code' && (connection?.state === 'none' || connection?.state === 'reconnect');

/** Whether the gateway can get new tokens without a person. */
export const renewsItself = ({ oauth, credentials }: Service): boolean =>
  oauth?.grant === 'client_credentials' || 'refresh_token' in credentials;
