/** Names and values as typed. For `api_key` the names are header names. For other types the names are fixed. */
export interface CredentialRow {
  name: string;
  value: string;
}
