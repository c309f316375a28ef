/** Why a connection string is refused. The text follows the name of the setting, and never contains a value. */
export class DatabaseUrlError extends Error {}
