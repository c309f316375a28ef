/** A value for each place that holds a secret. */
export const PLANTED = {
  jwtSecret: 'planted-jwt-secret-7f3a91c2',
  encryptionSecret: 'planted-encryption-secret-of-many-characters',
  encryptionSalt: 'planted-encryption-salt-55d1',
  llmPassword: 'planted-llm-password-a1b2',
  llmKey: 'sk-planted-llm-key-08c1d7',
  setupToken: 'planted-setup-token-e19a44',
  password: 'planted-password-ünïcode-1!',
  newPassword: 'planted-new-password-9$x',
  wrongPassword: 'planted-wrong-password-31&y',
  bearer: 'planted-bearer/T0k+n=?&"quoted"\\end',
  oauth: 'planted-oauth-eyJhbGciOi.J9x_y-z~1',
  basicPassword: 'planted-basic pass/wörd+=&"x"',
  apiKey: 'planted-api-key-{0.1}[2]<3>',
  customKey: 'planted-custom-header-key-44f0',
  replaced: 'planted-before-it-was-replaced-77',
};
